// The texts of the OpenAPI document in other languages, by the English text. A test fails if one is missing; until then the
// page shows the English text and marks it as English.
import { html, type Inset } from '../parts/html.ts';
import type { LanguageTag } from '../parts/language.ts';

const GERMAN: Readonly<Record<string, string>> = {
  'Bearer tokens for machines and people, by client certificate or by confirmation in a browser.':
    'Bearer-Token für Maschinen und Menschen, per Client-Zertifikat oder per Bestätigung im Browser.',
  // operations
  'Refresh a token pair, or redeem a device code': 'Ein Token-Paar erneuern oder einen Gerätecode einlösen',
  'A refresh takes JSON. A device code is redeemed once only. The same refresh token presented again shortly after, because the answer was lost, is answered with the same pair.':
    'Eine Erneuerung wird als JSON gesendet. Ein Gerätecode wird nur einmal eingelöst. Wird dasselbe Refresh-Token kurz danach noch einmal vorgelegt, weil die Antwort verloren ging, kommt dasselbe Paar zurück.',
  'Obtain a token by client certificate': 'Ein Token per Client-Zertifikat erhalten',
  'Present the certificate in the TLS handshake. The identity it is mapped to is part of the answer.':
    'Das Zertifikat wird im TLS-Handshake vorgelegt. Die Antwort nennt die Identität, der es zugeordnet ist.',
  'Start a device authorization': 'Eine Geräte-Autorisierung beginnen',
  'Show user_code and verification_uri to a person, then poll Authorize/Token at the interval.':
    'Zeigen Sie einer Person user_code und verification_uri, und fragen Sie dann Authorize/Token im Abstand von interval ab.',
  'Check an access token': 'Ein Access-Token prüfen',
  'For resource servers and scripts: who it belongs to and what it allows at this moment.':
    'Für Ressourcen-Server und Skripte: wem es gehört und was es in diesem Augenblick erlaubt.',
  'Revoke the grant of an access token': 'Das Zugriffsrecht eines Access-Tokens widerrufen',
  'Ends every token of the grant at once, of every generation, at every door.':
    'Beendet sofort alle Token des Zugriffsrechts, jeder Generation und an jedem Zugang.',
  'Whether the process is there': 'Ob der Prozess läuft',
  'Whether it can serve: store, keys, clock': 'Ob er antworten kann: Speicher, Schlüssel, Uhr',
  'Metrics in Prometheus form': 'Metriken für Prometheus',
  // commands
  Refresh: 'Erneuern',
  'Redeem a device code': 'Einen Gerätecode einlösen',
  'Get a token': 'Ein Token erhalten',
  Start: 'Beginnen',
  Check: 'Prüfen',
  Revoke: 'Widerrufen',
  // answers
  'Granted.': 'Gewährt.',
  OK: 'In Ordnung',
  'Not ready.': 'Nicht bereit.',
  'Refused; Error says why, Error_description what to do.':
    'Abgelehnt; Error nennt den Grund, Error_description was zu tun ist.',
  'The certificate or the token was not accepted.': 'Das Zertifikat oder das Token wurde nicht angenommen.',
  'The body is too large, or in too many parts.': 'Der Inhalt ist zu groß oder hat zu viele Teile.',
  'Too many requests; see Retry-After.': 'Zu viele Anfragen; siehe Retry-After.',
  'The headers are too large.': 'Die Kopfzeilen sind zu groß.',
  'Temporarily unavailable: ask the same again after Retry-After. Error_description says whether something may have been changed.':
    'Vorübergehend nicht verfügbar: Stellen Sie dieselbe Anfrage nach Retry-After noch einmal. Error_description sagt, ob etwas geändert worden sein kann.',
  // fields
  'The Client ID of the API integration. Case sensitive. Required.':
    'Die Client-ID der API-Integration. Groß- und Kleinschreibung zählt. Erforderlich.',
  'urn:ietf:params:oauth:grant-type:device_code for the first token after Authorize/Device.':
    'urn:ietf:params:oauth:grant-type:device_code für das erste Token nach Authorize/Device.',
  'The device_code of Authorize/Device. Valid once only.': 'Der device_code von Authorize/Device. Gilt nur einmal.',
  'The newest refresh token of the grant.': 'Das neueste Refresh-Token des Zugriffsrechts.',
  'The whole scope of the integration or a subset of it, for instance orders:read,write;stock:read. Required.':
    'Der ganze Scope der Integration oder ein Teil davon, zum Beispiel orders:read,write;stock:read. Erforderlich.',
  'Send it as Authorization: Bearer with other API calls.':
    'Wird bei anderen API-Aufrufen als Authorization: Bearer gesendet.',
  'Use it once, when access_token expires. Absent where the integration offers no refresh.':
    'Einmal verwenden, wenn access_token abläuft. Fehlt, wenn die Integration keine Erneuerung anbietet.',
  'Seconds until access_token expires.': 'Sekunden, bis access_token abläuft.',
  'Expiry of access_token, epoch seconds.': 'Ablauf von access_token, in Sekunden seit 1970.',
  'The grant ends here, epoch seconds.': 'Hier endet das Zugriffsrecht, in Sekunden seit 1970.',
  'Authorize/Certificate only: the identity the certificate was mapped to.':
    'Nur bei Authorize/Certificate: die Identität, der das Zertifikat zugeordnet ist.',
  'For Authorize/Token. A secret.': 'Für Authorize/Token. Geheim.',
  'What the person types in the browser.': 'Was die Person im Browser eingibt.',
  'Seconds to wait between two polls.': 'Sekunden, die zwischen zwei Abfragen zu warten sind.',
  'client_id of the integration.': 'client_id der Integration.',
  'The whole lifetime of the access token, in seconds.': 'Die gesamte Lebensdauer des Access-Tokens, in Sekunden.',
  'The end of the grant.': 'Das Ende des Zugriffsrechts.',
  'Redeem a device code, refresh, or obtain a token by client certificate or assertion (RFC 6749, 7523, 8628, 8705)':
    'Einen Gerätecode einlösen, erneuern oder ein Token per Client-Zertifikat erhalten (RFC 6749, 8628, 8705)',
  'Start a device authorization (RFC 8628)': 'Eine Geräte-Autorisierung beginnen (RFC 8628)',
  'The public keys of access tokens that are JWTs (RFC 7517)':
    'Die öffentlichen Schlüssel von Access-Tokens, die JWTs sind (RFC 7517)',
  'Check an access token, for a registered resource server (RFC 7662)':
    'Ein Access-Token prüfen, für einen registrierten Ressourcen-Server (RFC 7662)',
  'Audiences of resource servers; may be repeated. Limits the grant to them (RFC 8707). On a refresh, absent or the same.':
    'Audiences von Ressourcen-Servern; mehrfach erlaubt. Beschränkt das Zugriffsrecht auf sie (RFC 8707). Bei einer Erneuerung keine Angabe oder dieselbe.',
  'The id of the resource server, here or as user name of HTTP Basic. Case sensitive.':
    'Die Id des Ressourcen-Servers, hier oder als Benutzername von HTTP Basic. Groß- und Kleinschreibung zählt.',
  'The secret of the resource server, here or as password of HTTP Basic.':
    'Das Geheimnis des Ressourcen-Servers, hier oder als Passwort von HTTP Basic.',
  'The access token that a caller sent. Required.': 'Das Access-Token, das ein Aufrufer gesendet hat. Erforderlich.',
  'Whether this is a live access token for this resource server. If false, nothing else is said.':
    'Ob dies ein gültiges Access-Token für diesen Ressourcen-Server ist. Wenn nicht, wird sonst nichts gesagt.',
  'The permissions that concern this resource server, separated by spaces.':
    'Die Berechtigungen, die diesen Ressourcen-Server betreffen, durch Leerzeichen getrennt.',
  'The integration that the token was issued to.': 'Die Integration, für die das Token ausgestellt wurde.',
  'The identity that the token belongs to.': 'Die Identität, der das Token gehört.',
  'The user name, if that is a person.': 'Der Benutzername, wenn das eine Person ist.',
  'When the token expires. Epoch seconds.': 'Wann das Token abläuft. In Sekunden seit 1970.',
  'When the token was issued. Epoch seconds.': 'Wann das Token ausgestellt wurde. In Sekunden seit 1970.',
  'The audience of this resource server.': 'Die Audience dieses Ressourcen-Servers.',
  'The issuer: this server.': 'Der Aussteller: dieser Server.',
  'An id of the token: the grant and the generation.': 'Eine Id des Tokens: Zugriffsrecht und Generation.',
  'SHA-256 of the certificate, in base64url.': 'SHA-256 des Zertifikats, in base64url.',
  'The certificate that the token is bound to (RFC 8705 3.1), if it is.':
    'Das Zertifikat, an das das Token gebunden ist (RFC 8705 3.1), falls es das ist.',
  'The name of the key: kid in the header of its tokens.': 'Der Name des Schlüssels: kid im Kopf seiner Tokens.',
  'ES256, EdDSA or RS256.': 'ES256, EdDSA oder RS256.',
  'Every key that could have signed a living token, and the next ones (RFC 7517).':
    'Jeder Schlüssel, der ein lebendes Token signiert haben könnte, und die nächsten (RFC 7517).',
  'Where callers with a client certificate find the same endpoints (RFC 8705 5).':
    'Wo Aufrufer mit Client-Zertifikat dieselben Endpunkte finden (RFC 8705 5).',
  'End the grant of a token (RFC 7009)': 'Das Zugriffsrecht eines Tokens beenden (RFC 7009)',
  'The metadata of this authorization server (RFC 8414)': 'Die Metadaten dieses Autorisierungsservers (RFC 8414)',
  'The same metadata, where OpenID libraries look for it': 'Dieselben Metadaten, wo OpenID-Bibliotheken sie suchen',
  'OK.': 'In Ordnung.',
  'Ready.': 'Bereit.',
  'Refused: authorization_pending, invalid_client, invalid_request, invalid_scope, invalid_grant, unauthorized_client. The description says what to do.':
    'Abgelehnt: authorization_pending, invalid_client, invalid_request, invalid_scope, invalid_grant, unauthorized_client. Die Beschreibung sagt, was zu tun ist.',
  'Refused: invalid_client, invalid_request, invalid_scope, invalid_grant. The description says what to do.':
    'Abgelehnt: invalid_client, invalid_request, invalid_scope, invalid_grant. Die Beschreibung sagt, was zu tun ist.',
  'Refused: invalid_request, invalid_scope, invalid_grant, unauthorized_client. The description says what to do.':
    'Abgelehnt: invalid_request, invalid_scope, invalid_grant, unauthorized_client. Die Beschreibung sagt, was zu tun ist.',
  'Refused: invalid_request. The description says what to do.':
    'Abgelehnt: invalid_request. Die Beschreibung sagt, was zu tun ist.',
  'Refused; error says why, error_description what to do.':
    'Abgelehnt; error nennt den Grund, error_description was zu tun ist.',
  'The client or its certificate was not accepted.': 'Der Client oder sein Zertifikat wurde nicht angenommen.',
  'The access token was not accepted.': 'Das Access-Token wurde nicht angenommen.',
  'The client certificate was not accepted.': 'Das Client-Zertifikat wurde nicht angenommen.',
  'This address does not serve the operation. Check the path.':
    'Diese Adresse bietet die Operation nicht an. Prüfen Sie den Pfad.',
  'This address does not serve the path.': 'Diese Adresse bietet den Pfad nicht an.',
  'The path takes another method.': 'Der Pfad verlangt eine andere Methode.',
  'Too many requests. Wait, then ask again.': 'Zu viele Anfragen. Warten Sie, und fragen Sie dann noch einmal.',
  'The request headers are too large.': 'Die Kopfzeilen der Anfrage sind zu groß.',
  'Temporarily unavailable. Wait, then send exactly the same request again: it may have been carried out.':
    'Vorübergehend nicht verfügbar. Warten Sie, und senden Sie dann genau dieselbe Anfrage noch einmal: Sie kann schon ausgeführt worden sein.',
  'Temporarily unavailable: send the same request again after Retry-After.':
    'Vorübergehend nicht verfügbar: Senden Sie dieselbe Anfrage nach Retry-After noch einmal.',
  'An internal error.': 'Ein interner Fehler.',
  'Why the request was refused.': 'Warum die Anfrage abgelehnt wurde.',
  'What to do next, for people.': 'Was als Nächstes zu tun ist, für Menschen.',
  'The result of each check: ok or failing.': 'Das Ergebnis jeder Prüfung: ok oder failing.',
  'Why a check fails, by its name.': 'Warum eine Prüfung fehlschlägt, nach ihrem Namen.',
  'The Client ID of the API integration. Case sensitive.':
    'Die Client-ID der API-Integration. Groß- und Kleinschreibung zählt.',
  'The Client ID of the API integration, here or as user name of HTTP Basic. Case sensitive.':
    'Die Client-ID der API-Integration, hier oder als Benutzername von HTTP Basic. Groß- und Kleinschreibung zählt.',
  'Refused: integrations have no secret.': 'Abgelehnt: Integrationen haben kein Geheimnis.',
  'Refused: not supported.': 'Abgelehnt: nicht unterstützt.',
  'urn:ietf:params:oauth:grant-type:device_code, refresh_token, or client_credentials with a client certificate. Required.':
    'urn:ietf:params:oauth:grant-type:device_code, refresh_token oder client_credentials mit einem Client-Zertifikat. Erforderlich.',
  'For a device code. Valid once only.': 'Für einen Gerätecode. Gilt nur einmal.',
  'For a refresh: the newest refresh token of the grant.':
    'Für eine Erneuerung: das neueste Refresh-Token des Zugriffsrechts.',
  'Items separated by spaces, for instance orders:read stock:read. Absent: the whole scope; on a refresh, that of the grant.':
    'Einträge durch Leerzeichen getrennt, zum Beispiel orders:read stock:read. Ohne Angabe: der ganze Scope; bei einer Erneuerung der des Zugriffsrechts.',
  'Every permission by itself, sorted, separated by spaces.':
    'Jede Berechtigung einzeln, sortiert, durch Leerzeichen getrennt.',
  'Use it once. Absent if the grant cannot be refreshed.':
    'Einmal verwenden. Fehlt, wenn das Zugriffsrecht nicht erneuert werden kann.',
  'Seconds until the grant ends.': 'Sekunden, bis das Zugriffsrecht endet.',
  'For the token endpoint. A secret.': 'Für den Token-Endpunkt. Geheim.',
  'A refresh or access token of any generation. Required.':
    'Ein Refresh- oder Access-Token beliebiger Generation. Erforderlich.',
  'Not needed; ignored.': 'Nicht nötig; wird nicht beachtet.',
  'The whole scope of the integration or a subset of it.': 'Der ganze Scope der Integration oder ein Teil davon.',
  'The scope of the grant.': 'Der Scope des Zugriffsrechts.',
  'The identity that the certificate was mapped to.': 'Die Identität, der das Zertifikat zugeordnet ist.',
  'Expiry of access_token. Epoch seconds.': 'Ablauf von access_token. In Sekunden seit 1970.',
  'Expiry of device_code. Epoch seconds.': 'Ablauf von device_code. In Sekunden seit 1970.',
  'Seconds until device_code expires.': 'Sekunden, bis device_code abläuft.',
  'The grant ends here. Epoch seconds.': 'Hier endet das Zugriffsrecht. In Sekunden seit 1970.',
  'The end of the grant. Epoch seconds.': 'Das Ende des Zugriffsrechts. In Sekunden seit 1970.',
  'When the access token was issued. Epoch seconds.': 'Wann das Access-Token ausgestellt wurde. In Sekunden seit 1970.',
  'When the grant was issued. Epoch seconds.': 'Wann das Zugriffsrecht ausgestellt wurde. In Sekunden seit 1970.',
  'Milliseconds since the epoch.': 'Millisekunden seit 1970.',
  'Who the token belongs to.': 'Wem das Token gehört.',
  'What the token allows at this moment.': 'Was das Token in diesem Augenblick erlaubt.',
  'The revocation feed, for a registered resource server: a snapshot in pages, or with Accept: text/event-stream what follows a cursor':
    'Der Widerrufs-Feed für einen registrierten Resource-Server: eine Momentaufnahme in Seiten, oder mit Accept: text/event-stream, was auf einen Cursor folgt',
  'When the access token expires. Unlike `expires`, which is the end of the grant. Epoch seconds.':
    'Wann das Access-Token abläuft; `expires` ist dagegen das Ende des Zugriffsrechts. In Sekunden seit 1970.',
  'The end of the grant, not of the access token. Epoch seconds.':
    'Das Ende des Zugriffsrechts, nicht des Access-Tokens. In Sekunden seit 1970.',
  'urn:ietf:params:oauth:grant-type:device_code, refresh_token, client_credentials with a client certificate, or urn:ietf:params:oauth:grant-type:jwt-bearer. Required.':
    'urn:ietf:params:oauth:grant-type:device_code, refresh_token, client_credentials mit einem Client-Zertifikat oder urn:ietf:params:oauth:grant-type:jwt-bearer. Erforderlich.',
  'For jwt-bearer: the JWT that the platform gave to the workload.':
    'Für jwt-bearer: das JWT, das die Plattform dem Programm gegeben hat.',
  'Where the stream begins: Last-Event-ID or after.': 'Wo der Strom beginnt: Last-Event-ID oder after.',
  'Later ones replace earlier ones about the same.': 'Spätere ersetzen frühere über dasselbe.',
  'The next page: page. Absent on the last one.': 'Die nächste Seite: page. Fehlt auf der letzten.',
  'The revocation feed, for resource servers.': 'Der Widerrufs-Feed, für Resource-Server.',
  'How the token is obtained. Each needs its own parameter; client_credentials a client certificate.':
    'Wie das Token erhalten wird. Jeder Wert braucht seinen eigenen Parameter, client_credentials ein Client-Zertifikat.',
  'A refresh or access token of any generation.': 'Ein Refresh- oder Access-Token beliebiger Generation.',
  'The access token that a caller sent.': 'Das Access-Token, das ein Aufrufer gesendet hat.',
  'The next of the page before: the next page of the same snapshot.':
    'next der vorigen Seite: die nächste Seite derselben Momentaufnahme.',
  'For the stream: the cursor of a snapshot.': 'Für den Strom: der cursor einer Momentaufnahme.',
  'For the stream: the id of the last event that arrived. Counts before after.':
    'Für den Strom: die Id des letzten Ereignisses, das ankam. Zählt vor after.',
  'The id of the resource server, if a certificate or an access token proves it.':
    'Die Id des Resource-Servers, wenn ein Zertifikat oder ein Access-Token ihn ausweist.',
  'The cursor or page is too old, or of another store or resource server: take a snapshot.':
    'Der Cursor oder die Seite ist zu alt oder gehört zu einem anderen Speicher oder Resource-Server: Holen Sie eine Momentaufnahme.',
};

const TRANSLATIONS: Readonly<Record<LanguageTag, Readonly<Record<string, string>> | undefined>> = {
  en: undefined,
  de: GERMAN,
};

/** Returns a function that words a text of the document in this language. */
export function translatorFor(tag: LanguageTag): (text: string | undefined) => Inset {
  const translations = TRANSLATIONS[tag];
  return (text) => {
    if (text === undefined || !translations) return text;
    return Object.hasOwn(translations, text) ? translations[text] : html`<span lang="en">${text}</span>`;
  };
}
