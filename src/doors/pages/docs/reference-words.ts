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
  'The body is too large.': 'Der Inhalt ist zu groß.',
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
