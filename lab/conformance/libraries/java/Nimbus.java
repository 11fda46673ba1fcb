// Nimbus OAuth 2.0 SDK, unmodified: keys, secrets, exchange, and authorization code with PKCE. The parent is the browser: it reads the address
// and writes what the redirect carried.
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.auth.*;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.pkce.*;
import com.nimbusds.oauth2.sdk.token.*;
import com.nimbusds.oauth2.sdk.tokenexchange.TokenExchangeGrant;
import com.nimbusds.oauth2.sdk.util.JSONObjectUtils;
import java.net.URI;
import java.util.Map;
import java.util.Scanner;
import net.minidev.json.JSONObject;

class Nimbus {
  static final Scope SCOPE = new Scope("orders:read");

  static void say(Map<String, String> line) {
    System.out.println(new JSONObject(line).toJSONString());
  }

  static AccessTokenResponse sent(TokenRequest request) throws Exception {
    return TokenResponse.parse(request.toHTTPRequest().send()).toSuccessResponse();
  }

  static void sayScope(String how, AccessTokenResponse answer) {
    say(Map.of("how", how, "scope", answer.getTokens().getAccessToken().getScope().toString()));
  }

  public static void main(String[] args) throws Exception {
    var order = JSONObjectUtils.parse(System.getenv("ORDER"));
    var server = AuthorizationServerMetadata.resolve(new Issuer((String) order.get("issuer")));
    machines(order, server);
    person(order, server);
  }

  static void machines(JSONObject order, AuthorizationServerMetadata server) throws Exception {
    var id = new ClientID((String) order.get("clientId"));
    var secret = new Secret((String) order.get("secret"));
    var key = ECKey.parse((String) order.get("jwk"));
    var endpoint = server.getTokenEndpointURI();
    var subject = new BearerAccessToken((String) order.get("subject"));
    for (var how : new String[] {"private_key_jwt", "client_secret_basic", "client_secret_post"}) {
      for (var grant : new AuthorizationGrant[] {new ClientCredentialsGrant(), new TokenExchangeGrant(subject, TokenTypeURI.ACCESS_TOKEN)}) {
        ClientAuthentication client =
            switch (how) {
              case "private_key_jwt" ->
                  new PrivateKeyJWT(id, endpoint, JWSAlgorithm.ES256, key.toECPrivateKey(), key.getKeyID(), null);
              case "client_secret_basic" -> new ClientSecretBasic(id, secret);
              default -> new ClientSecretPost(id, secret);
            };
        var request = new TokenRequest.Builder(endpoint, client, grant).scope(SCOPE).build();
        sayScope((grant instanceof TokenExchangeGrant ? "exchange, " : "") + how, sent(request));
      }
    }
  }

  static void person(JSONObject order, AuthorizationServerMetadata server) throws Exception {
    var id = new ClientID((String) order.get("codeClientId"));
    var redirect = new URI((String) order.get("redirectUri"));
    var verifier = new CodeVerifier();
    var state = new State();
    var asked =
        new AuthorizationRequest.Builder(ResponseType.CODE, id)
            .endpointURI(server.getAuthorizationEndpointURI())
            .redirectionURI(redirect)
            .scope(SCOPE)
            .state(state)
            .codeChallenge(verifier, CodeChallengeMethod.S256)
            .build();
    say(Map.of("open", asked.toURI().toString()));
    var answer = AuthorizationResponse.parse(new URI(redirect + "?" + new Scanner(System.in).nextLine())).toSuccessResponse();
    if (!answer.getState().equals(state) || !answer.getIssuer().equals(server.getIssuer())) throw new Exception("mixed up");
    var endpoint = server.getTokenEndpointURI();
    var grant = new AuthorizationCodeGrant(answer.getAuthorizationCode(), redirect, verifier);
    var pair = sent(new TokenRequest.Builder(endpoint, id, grant).build());
    sayScope("code", pair);
    var next = sent(new TokenRequest.Builder(endpoint, id, new RefreshTokenGrant(pair.getTokens().getRefreshToken())).build());
    sayScope("refresh", next);
    var revoked = new TokenRevocationRequest(server.getRevocationEndpointURI(), id, next.getTokens().getRefreshToken());
    if (revoked.toHTTPRequest().send().getStatusCode() != 200) throw new Exception("not revoked");
    say(Map.of("how", "revocation"));
  }
}
