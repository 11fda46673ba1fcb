// What pages say about refusals.
import type { RefusalText } from './en-refusals.ts';

const GONE =
  'Dieses Programm ist hier nicht registriert. Vielleicht wurde es entfernt oder abgeschaltet. Es wurde nichts bestätigt. Wenden Sie sich an die Betreiber dieses Dienstes.';
const DISABLED = 'Ihr Konto ist gesperrt. Wenden Sie sich an die Betreiber dieses Dienstes.';
export const deRefusals: Readonly<Record<RefusalText, string>> = {
  'user-code-unknown':
    'Dieser Code ist nicht bekannt. Prüfen Sie ihn Buchstabe für Buchstabe. Vielleicht ist er auch zu alt: Beginnen Sie dann auf Ihrem Gerät von vorn.',
  'user-code-attempts-exhausted':
    'Zu viele falsche Codes. Zu Ihrem Schutz wird einige Minuten lang kein Code von Ihnen angenommen. Beginnen Sie danach auf Ihrem Gerät von vorn.',
  'device-code-expired':
    'Dieser Code ist abgelaufen. Es wurde nichts bestätigt. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  'device-code-spent':
    'Dieser Code gilt nicht mehr: Die Anmeldung damit ist zu oft fehlgeschlagen. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  'code-ended':
    'Dieser Code wurde beendet, von Ihnen oder vom Betreiber. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  'decision-final':
    'Über diese Anfrage wurde schon entschieden. Eine Entscheidung ist endgültig. Wenn Sie anders entscheiden möchten, beginnen Sie auf Ihrem Gerät von vorn.',
  'decision-elsewhere':
    'Dieser Code wurde in einem anderen Browser eingegeben. Nur die Browsersitzung, in der ein Code eingegeben wurde, kann ihn bestätigen oder ablehnen. Machen Sie dort weiter, oder beginnen Sie auf Ihrem Gerät von vorn.',
  'identity-unknown': DISABLED,
  'identity-disabled': DISABLED,
  'identity-without-api-access':
    'Sie dürfen die Web-API nicht benutzen. Bitten Sie die Betreiber dieses Dienstes um Zugang.',
  'identity-without-integration-access':
    'Sie dürfen diese Integration nicht benutzen. Bitten Sie die Betreiber dieses Dienstes um Zugang.',
  'device-flow-disabled':
    'Das Bestätigen von Geräten ist abgeschaltet. Fragen Sie die Betreiber dieses Dienstes, wie das Programm Zugriff erhalten kann.',
  'code-flow-disabled':
    'Dieses Programm darf so nicht um Zugriff bitten. Wenden Sie sich an die Betreiber dieses Dienstes.',
  'redirect-uri-unknown':
    'Diese Anfrage lässt sich nicht sicher beantworten. Sie nennt für die Antwort eine Adresse, die für dieses Programm nicht registriert ist. Dorthin wurde nichts gesendet. Falls ein Link Sie hierher geführt hat, wollte Sie vielleicht jemand täuschen: Sagen Sie den Betreibern dieses Dienstes Bescheid.',
  'request-too-old': 'Diese Anfrage ist zu alt. Es wurde nichts bestätigt. Beginnen Sie im Programm von vorn.',
  'client-document-refused':
    'Dieses Programm lässt sich nicht bestimmen. Das Dokument, das es beschreibt, fehlt, ist falsch oder hier nicht erlaubt. Es wurde nichts bestätigt. Zeigen Sie dies den Betreibern dieses Dienstes.',
  'client-document-unavailable':
    'Dieses Programm lässt sich gerade nicht bestimmen. Das Dokument, das es beschreibt, war nicht lesbar. Es wurde nichts bestätigt. Versuchen Sie es gleich noch einmal.',
  'integration-unknown': GONE,
  'integration-disabled': GONE,
  requestWrong:
    'Das Programm hat einen Fehler gemacht. Es wurde nichts bestätigt. Nennen Sie dem Hersteller des Programms diese Meldung:',
  'sign-in-failed': 'Anmeldung fehlgeschlagen. Benutzername oder Passwort ist falsch.',
  'sign-in-too-soon':
    'Bitte warten Sie einen Moment. Die Anmeldung mit diesem Namen ist mehrmals fehlgeschlagen. Warten Sie eine halbe Minute und versuchen Sie es dann erneut.',
  'sign-in-attempts-exhausted':
    'Zu viele fehlgeschlagene Anmeldungen. Zu Ihrem Schutz ist mit diesem Browser einige Minuten lang keine Anmeldung möglich, auch nicht mit dem richtigen Passwort. Ein Browser, mit dem Sie sich früher angemeldet haben, geht weiterhin.',
  'provider-sign-in-refused':
    'Sie wurden nicht angemeldet. Die Anmeldung auf der Seite Ihrer Firma wurde abgebrochen, hat zu lange gedauert, wurde in einem anderen Browser begonnen, oder ihre Antwort war nicht annehmbar. Es wurde nichts geändert. Versuchen Sie es noch einmal; hilft das nicht, fragen Sie die Betreiber dieses Dienstes.',
  'passkey-refused':
    'Der Passkey wurde nicht angenommen. Vielleicht wurde er entfernt, oder es hat zu lange gedauert. Versuchen Sie es noch einmal. Das Passwort geht weiterhin.',
  'invitation-refused':
    'Die Einladung wurde nicht angenommen. Sie fehlt oder ist vertippt, wurde schon verwendet oder ist abgelaufen. Melden Sie sich mit einem Passkey an, oder bitten Sie um eine neue Einladung.',
  'passkeys-exhausted': 'Sie haben zu viele Passkeys. Entfernen Sie zuerst einen.',
  'console-closed':
    'Die Konsole ist für Sie nicht offen. Zugang haben Mitglieder der Gruppen operators und viewers sowie Eigentümer von Integrationen. Ein Betreiber kann Sie aufnehmen.',
  'console-viewing':
    'Sie dürfen ansehen, aber nichts ändern. Um etwas zu ändern, melden Sie sich mit einem Passkey an, als Mitglied der Gruppe operators oder als Eigentümer der Integration.',
  'form-stale':
    'Diese Seite ist veraltet. Sie haben sich seit dem Öffnen an- oder abgemeldet, oder das Formular kam nicht von dieser Website. Es wurde nichts ausgeführt. Bitte beginnen Sie von vorn.',
  'not-found': 'Hier ist nichts. Vielleicht ist die Adresse vertippt, oder die Seite gibt es nicht mehr.',
  'method-not-allowed': 'Das geht hier nicht. Bitte beginnen Sie von vorn.',
  unreadable: 'Das Formular war nicht lesbar. Es wurde nichts ausgeführt. Bitte beginnen Sie von vorn.',
  'rate-limited':
    'Zu viele Anfragen. Es wurde nichts ausgeführt. Warten Sie einen Moment und versuchen Sie es dann erneut.',
  unavailable: 'Der Dienst ist gerade nicht verfügbar. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  'directory-unavailable':
    'Das Verzeichnis Ihrer Firma ist gerade nicht erreichbar. Solange es nicht antwortet, kann sich daraus niemand anmelden. Es wurde nichts geändert. Versuchen Sie es in einigen Minuten noch einmal.',
  'outcome-unknown':
    'Es ist nicht bekannt, ob das geklappt hat. Beim Speichern ist ein Fehler aufgetreten. Gehen Sie gleich zurück und sehen Sie nach, bevor Sie es noch einmal versuchen.',
  fault:
    'Etwas ist kaputtgegangen. Das liegt an uns, nicht an Ihnen. Versuchen Sie es noch einmal; bleibt es dabei, sagen Sie den Betreibern dieses Dienstes Bescheid.',
};
