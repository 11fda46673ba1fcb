// What pages say about refusals.
import type { RefusalText, Said } from './en-refusals.ts';

export const deRefusals: Readonly<Record<RefusalText, Said>> = {
  codeUnknown: {
    title: 'Dieser Code ist nicht bekannt',
    text: 'Prüfen Sie ihn Buchstabe für Buchstabe. Vielleicht ist er auch zu alt: Beginnen Sie dann auf Ihrem Gerät von vorn.',
  },
  codesTooMany: {
    title: 'Zu viele falsche Codes',
    text: 'Zu Ihrem Schutz wird einige Minuten lang kein Code von Ihnen angenommen. Beginnen Sie danach auf Ihrem Gerät von vorn.',
  },
  codeExpired: {
    title: 'Dieser Code ist abgelaufen',
    text: 'Es wurde nichts bestätigt. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  },
  codeSpent: {
    title: 'Dieser Code gilt nicht mehr',
    text: 'Die Anmeldung damit ist zu oft fehlgeschlagen, oder der Betreiber hat ihn beendet. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
  },
  decided: {
    title: 'Über diese Anfrage wurde schon entschieden',
    text: 'Eine Entscheidung ist endgültig. Wenn Sie anders entscheiden möchten, beginnen Sie auf Ihrem Gerät von vorn.',
  },
  elsewhere: {
    title: 'Dieser Code wurde in einem anderen Browser eingegeben',
    text: 'Nur die Browsersitzung, in der ein Code eingegeben wurde, kann ihn bestätigen oder ablehnen. Machen Sie dort weiter, oder beginnen Sie auf Ihrem Gerät von vorn.',
  },
  identityDisabled: {
    title: 'Ihr Konto ist gesperrt',
    text: 'Wenden Sie sich an die Betreiber dieses Dienstes.',
  },
  noApiAccess: {
    title: 'Sie dürfen die Web-API nicht benutzen',
    text: 'Bitten Sie die Betreiber dieses Dienstes um Zugang.',
  },
  noIntegrationAccess: {
    title: 'Sie dürfen diese Integration nicht benutzen',
    text: 'Bitten Sie die Betreiber dieses Dienstes um Zugang.',
  },
  deviceFlowOff: {
    title: 'Das Bestätigen von Geräten ist abgeschaltet',
    text: 'Fragen Sie die Betreiber dieses Dienstes, wie das Programm Zugriff erhalten kann.',
  },
  codeFlowOff: {
    title: 'Dieses Programm darf so nicht um Zugriff bitten',
    text: 'Wenden Sie sich an die Betreiber dieses Dienstes.',
  },
  redirectUnknown: {
    title: 'Diese Anfrage lässt sich nicht sicher beantworten',
    text: 'Sie nennt für die Antwort eine Adresse, die für dieses Programm nicht registriert ist. Dorthin wurde nichts gesendet. Falls ein Link Sie hierher geführt hat, wollte Sie vielleicht jemand täuschen: Sagen Sie den Betreibern dieses Dienstes Bescheid.',
  },
  requestTooOld: {
    title: 'Diese Anfrage ist zu alt',
    text: 'Es wurde nichts bestätigt. Beginnen Sie im Programm von vorn.',
  },
  documentRefused: {
    title: 'Dieses Programm lässt sich nicht bestimmen',
    text: 'Das Dokument, das es beschreibt, fehlt oder ist falsch. Es wurde nichts bestätigt. Wenden Sie sich an den Hersteller des Programms.',
  },
  documentUnavailable: {
    title: 'Dieses Programm lässt sich gerade nicht bestimmen',
    text: 'Das Dokument, das es beschreibt, war nicht lesbar. Es wurde nichts bestätigt. Versuchen Sie es gleich noch einmal.',
  },
  integrationGone: {
    title: 'Dieses Programm ist hier nicht registriert',
    text: 'Vielleicht wurde es entfernt oder abgeschaltet. Es wurde nichts bestätigt. Wenden Sie sich an die Betreiber dieses Dienstes.',
  },
  requestWrong: {
    title: 'Das Programm hat einen Fehler gemacht',
    text: 'Es wurde nichts bestätigt. Nennen Sie dem Hersteller des Programms diese Meldung:',
  },
  signInFailed: {
    title: 'Anmeldung fehlgeschlagen',
    text: 'Benutzername oder Passwort ist falsch.',
  },
  signInTooSoon: {
    title: 'Bitte warten Sie einen Moment',
    text: 'Die Anmeldung mit diesem Namen ist mehrmals fehlgeschlagen. Warten Sie eine halbe Minute und versuchen Sie es dann erneut.',
  },
  signInsTooMany: {
    title: 'Zu viele fehlgeschlagene Anmeldungen',
    text: 'Zu Ihrem Schutz ist mit diesem Browser einige Minuten lang keine Anmeldung möglich, auch nicht mit dem richtigen Passwort. Ein Browser, mit dem Sie sich früher angemeldet haben, geht weiterhin.',
  },
  providerRefused: {
    title: 'Sie wurden nicht angemeldet',
    text: 'Die Anmeldung auf der Seite Ihrer Firma wurde abgebrochen, hat zu lange gedauert, wurde in einem anderen Browser begonnen, oder ihre Antwort war nicht annehmbar. Es wurde nichts geändert. Versuchen Sie es noch einmal; hilft das nicht, fragen Sie die Betreiber dieses Dienstes.',
  },
  passkeyRefused: {
    title: 'Der Passkey wurde nicht angenommen',
    text: 'Vielleicht wurde er entfernt, oder es hat zu lange gedauert. Versuchen Sie es noch einmal. Das Passwort geht weiterhin.',
  },
  invitationRefused: {
    title: 'Die Einladung wurde nicht angenommen',
    text: 'Sie fehlt oder ist vertippt, wurde schon verwendet oder ist abgelaufen. Melden Sie sich mit einem Passkey an, oder bitten Sie um eine neue Einladung.',
  },
  passkeysTooMany: { title: 'Sie haben zu viele Passkeys', text: 'Entfernen Sie zuerst einen.' },
  consoleClosed: {
    title: 'Die Konsole ist für Sie nicht offen',
    text: 'Zugang haben Mitglieder der Gruppen operators und viewers sowie Eigentümer von Integrationen. Ein Betreiber kann Sie aufnehmen.',
  },
  consoleViewing: {
    title: 'Sie dürfen ansehen, aber nichts ändern',
    text: 'Um etwas zu ändern, melden Sie sich mit einem Passkey an, als Mitglied der Gruppe operators oder als Eigentümer der Integration.',
  },
  formStale: {
    title: 'Diese Seite ist veraltet',
    text: 'Sie haben sich seit dem Öffnen an- oder abgemeldet, oder das Formular kam nicht von dieser Website. Es wurde nichts ausgeführt. Bitte beginnen Sie von vorn.',
  },
  notFound: {
    title: 'Hier ist nichts',
    text: 'Vielleicht ist die Adresse vertippt, oder die Seite gibt es nicht mehr.',
  },
  methodWrong: { title: 'Das geht hier nicht', text: 'Bitte beginnen Sie von vorn.' },
  unreadable: {
    title: 'Das Formular war nicht lesbar',
    text: 'Es wurde nichts ausgeführt. Bitte beginnen Sie von vorn.',
  },
  requestsTooMany: {
    title: 'Zu viele Anfragen',
    text: 'Es wurde nichts ausgeführt. Warten Sie einen Moment und versuchen Sie es dann erneut.',
  },
  unavailable: {
    title: 'Der Dienst ist gerade nicht verfügbar',
    text: 'Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  },
  directoryAway: {
    title: 'Das Verzeichnis Ihrer Firma ist gerade nicht erreichbar',
    text: 'Solange es nicht antwortet, kann sich daraus niemand anmelden. Es wurde nichts geändert. Versuchen Sie es in einigen Minuten noch einmal.',
  },
  outcomeUnknown: {
    title: 'Es ist nicht bekannt, ob das geklappt hat',
    text: 'Beim Speichern ist ein Fehler aufgetreten. Gehen Sie gleich zurück und sehen Sie nach, bevor Sie es noch einmal versuchen.',
  },
  fault: {
    title: 'Etwas ist kaputtgegangen',
    text: 'Das liegt an uns, nicht an Ihnen. Versuchen Sie es noch einmal; bleibt es dabei, sagen Sie den Betreibern dieses Dienstes Bescheid.',
  },
};
