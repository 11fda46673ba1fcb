// What pages say about refusals.
import type { RefusalText } from './en-refusals.ts';

export const deRefusals: Readonly<Record<RefusalText, string>> = {
  codeUnknown:
    'Dieser Code ist nicht bekannt. Prüfen Sie ihn Buchstabe für Buchstabe. Vielleicht ist er auch zu alt: Beginnen Sie dann auf Ihrem Gerät von vorn.',
  codesTooMany:
    'Zu viele falsche Codes. Zu Ihrem Schutz wird einige Minuten lang kein Code von Ihnen angenommen. Beginnen Sie danach auf Ihrem Gerät von vorn.',
  codeExpired:
    'Dieser Code ist abgelaufen. Es wurde nichts bestätigt. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  codeSpent:
    'Dieser Code gilt nicht mehr: Die Anmeldung damit ist zu oft fehlgeschlagen. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  codeEnded:
    'Dieser Code wurde beendet, von Ihnen oder vom Betreiber. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  decided:
    'Über diese Anfrage wurde schon entschieden. Eine Entscheidung ist endgültig. Wenn Sie anders entscheiden möchten, beginnen Sie auf Ihrem Gerät von vorn.',
  elsewhere:
    'Dieser Code wurde in einem anderen Browser eingegeben. Nur die Browsersitzung, in der ein Code eingegeben wurde, kann ihn bestätigen oder ablehnen. Machen Sie dort weiter, oder beginnen Sie auf Ihrem Gerät von vorn.',
  identityDisabled: 'Ihr Konto ist gesperrt. Wenden Sie sich an die Betreiber dieses Dienstes.',
  noApiAccess: 'Sie dürfen die Web-API nicht benutzen. Bitten Sie die Betreiber dieses Dienstes um Zugang.',
  noIntegrationAccess:
    'Sie dürfen diese Integration nicht benutzen. Bitten Sie die Betreiber dieses Dienstes um Zugang.',
  deviceFlowOff:
    'Das Bestätigen von Geräten ist abgeschaltet. Fragen Sie die Betreiber dieses Dienstes, wie das Programm Zugriff erhalten kann.',
  codeFlowOff: 'Dieses Programm darf so nicht um Zugriff bitten. Wenden Sie sich an die Betreiber dieses Dienstes.',
  redirectUnknown:
    'Diese Anfrage lässt sich nicht sicher beantworten. Sie nennt für die Antwort eine Adresse, die für dieses Programm nicht registriert ist. Dorthin wurde nichts gesendet. Falls ein Link Sie hierher geführt hat, wollte Sie vielleicht jemand täuschen: Sagen Sie den Betreibern dieses Dienstes Bescheid.',
  requestTooOld: 'Diese Anfrage ist zu alt. Es wurde nichts bestätigt. Beginnen Sie im Programm von vorn.',
  documentRefused:
    'Dieses Programm lässt sich nicht bestimmen. Das Dokument, das es beschreibt, fehlt oder ist falsch. Es wurde nichts bestätigt. Wenden Sie sich an den Hersteller des Programms.',
  documentUnavailable:
    'Dieses Programm lässt sich gerade nicht bestimmen. Das Dokument, das es beschreibt, war nicht lesbar. Es wurde nichts bestätigt. Versuchen Sie es gleich noch einmal.',
  integrationGone:
    'Dieses Programm ist hier nicht registriert. Vielleicht wurde es entfernt oder abgeschaltet. Es wurde nichts bestätigt. Wenden Sie sich an die Betreiber dieses Dienstes.',
  requestWrong:
    'Das Programm hat einen Fehler gemacht. Es wurde nichts bestätigt. Nennen Sie dem Hersteller des Programms diese Meldung:',
  signInFailed: 'Anmeldung fehlgeschlagen. Benutzername oder Passwort ist falsch.',
  signInTooSoon:
    'Bitte warten Sie einen Moment. Die Anmeldung mit diesem Namen ist mehrmals fehlgeschlagen. Warten Sie eine halbe Minute und versuchen Sie es dann erneut.',
  signInsTooMany:
    'Zu viele fehlgeschlagene Anmeldungen. Zu Ihrem Schutz ist mit diesem Browser einige Minuten lang keine Anmeldung möglich, auch nicht mit dem richtigen Passwort. Ein Browser, mit dem Sie sich früher angemeldet haben, geht weiterhin.',
  providerRefused:
    'Sie wurden nicht angemeldet. Die Anmeldung auf der Seite Ihrer Firma wurde abgebrochen, hat zu lange gedauert, wurde in einem anderen Browser begonnen, oder ihre Antwort war nicht annehmbar. Es wurde nichts geändert. Versuchen Sie es noch einmal; hilft das nicht, fragen Sie die Betreiber dieses Dienstes.',
  passkeyRefused:
    'Der Passkey wurde nicht angenommen. Vielleicht wurde er entfernt, oder es hat zu lange gedauert. Versuchen Sie es noch einmal. Das Passwort geht weiterhin.',
  invitationRefused:
    'Die Einladung wurde nicht angenommen. Sie fehlt oder ist vertippt, wurde schon verwendet oder ist abgelaufen. Melden Sie sich mit einem Passkey an, oder bitten Sie um eine neue Einladung.',
  passkeysTooMany: 'Sie haben zu viele Passkeys. Entfernen Sie zuerst einen.',
  consoleClosed:
    'Die Konsole ist für Sie nicht offen. Zugang haben Mitglieder der Gruppen operators und viewers sowie Eigentümer von Integrationen. Ein Betreiber kann Sie aufnehmen.',
  consoleViewing:
    'Sie dürfen ansehen, aber nichts ändern. Um etwas zu ändern, melden Sie sich mit einem Passkey an, als Mitglied der Gruppe operators oder als Eigentümer der Integration.',
  formStale:
    'Diese Seite ist veraltet. Sie haben sich seit dem Öffnen an- oder abgemeldet, oder das Formular kam nicht von dieser Website. Es wurde nichts ausgeführt. Bitte beginnen Sie von vorn.',
  notFound: 'Hier ist nichts. Vielleicht ist die Adresse vertippt, oder die Seite gibt es nicht mehr.',
  methodWrong: 'Das geht hier nicht. Bitte beginnen Sie von vorn.',
  unreadable: 'Das Formular war nicht lesbar. Es wurde nichts ausgeführt. Bitte beginnen Sie von vorn.',
  requestsTooMany:
    'Zu viele Anfragen. Es wurde nichts ausgeführt. Warten Sie einen Moment und versuchen Sie es dann erneut.',
  unavailable: 'Der Dienst ist gerade nicht verfügbar. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  directoryAway:
    'Das Verzeichnis Ihrer Firma ist gerade nicht erreichbar. Solange es nicht antwortet, kann sich daraus niemand anmelden. Es wurde nichts geändert. Versuchen Sie es in einigen Minuten noch einmal.',
  outcomeUnknown:
    'Es ist nicht bekannt, ob das geklappt hat. Beim Speichern ist ein Fehler aufgetreten. Gehen Sie gleich zurück und sehen Sie nach, bevor Sie es noch einmal versuchen.',
  fault:
    'Etwas ist kaputtgegangen. Das liegt an uns, nicht an Ihnen. Versuchen Sie es noch einmal; bleibt es dabei, sagen Sie den Betreibern dieses Dienstes Bescheid.',
};
