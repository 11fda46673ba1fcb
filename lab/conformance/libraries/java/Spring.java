// Spring Security's OAuth2 client, unmodified: keys, secrets and exchange.
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.time.Instant;
import java.util.Map;
import org.springframework.security.oauth2.client.endpoint.*;
import org.springframework.security.oauth2.client.registration.*;
import org.springframework.security.oauth2.core.*;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;

class Spring {
  static void say(String how, OAuth2AccessTokenResponse answer) {
    var scope = String.join(" ", answer.getAccessToken().getScopes());
    System.out.println(JSONObjectUtils.toJSONString(Map.of("how", how, "scope", scope)));
  }

  public static void main(String[] args) throws Exception {
    var order = JSONObjectUtils.parse(System.getenv("ORDER"));
    var key = ECKey.parse((String) order.get("jwk"));
    var subject = new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER, (String) order.get("subject"), Instant.now(), Instant.MAX);
    for (var method : new ClientAuthenticationMethod[] {
        ClientAuthenticationMethod.PRIVATE_KEY_JWT,
        ClientAuthenticationMethod.CLIENT_SECRET_BASIC,
        ClientAuthenticationMethod.CLIENT_SECRET_POST,
    }) {
      var found = ClientRegistrations.fromIssuerLocation((String) order.get("issuer"))
          .clientId((String) order.get("clientId"))
          .clientSecret(method.equals(ClientAuthenticationMethod.PRIVATE_KEY_JWT) ? null : (String) order.get("secret"))
          .clientAuthenticationMethod(method)
          .scope("orders:read");
      var machine = found.registrationId("robot").authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS).build();
      var machines = new RestClientClientCredentialsTokenResponseClient();
      machines.addParametersConverter(new NimbusJwtClientAuthenticationParametersConverter<>((registration) -> key));
      say(method.getValue(), machines.getTokenResponse(new OAuth2ClientCredentialsGrantRequest(machine)));
      var exchanging = found.registrationId("api").authorizationGrantType(AuthorizationGrantType.TOKEN_EXCHANGE).build();
      var exchanges = new RestClientTokenExchangeTokenResponseClient();
      exchanges.addParametersConverter(new NimbusJwtClientAuthenticationParametersConverter<>((registration) -> key));
      say("exchange, " + method.getValue(), exchanges.getTokenResponse(new TokenExchangeGrantRequest(exchanging, subject, null)));
    }
  }
}
