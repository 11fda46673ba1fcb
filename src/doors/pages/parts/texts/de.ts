import { deRefusals } from './de-refusals.ts';
import type { Texts } from './en.ts';

const VERBS: ReadonlyMap<string, string> = new Map([
  ['read', 'lesen'],
  ['list', 'auflisten'],
  ['discover', 'auffinden'],
  ['write', 'schreiben'],
  ['create', 'anlegen'],
  ['update', 'ändern'],
  ['delete', 'löschen'],
  ['execute', 'ausführen'],
  ['manage', 'verwalten'],
  ['approve', 'freigeben'],
  ['admin', 'administrieren'],
]);

export const de: Texts = {
  layout: {
    skip: 'Zum Inhalt springen',
    signedInAs: (name) => `Angemeldet als ${name}`,
    account: 'Mein Konto',
    signOut: 'Abmelden',
    footer: (name) => `${name} fragt Sie nie per E-Mail, Chat oder Telefon nach Ihrem Passwort.`,
  },
  home: {
    title: 'Willkommen',
    lead: 'Dieser Dienst gibt Programmen Zugriff auf Web-APIs, im Namen einer Person oder einer Maschine.',
    device:
      'Gerät verbinden. Ein Gerät oder Programm zeigt Ihnen einen Code: Geben Sie ihn hier ein und bestätigen Sie die Anfrage oder lehnen Sie sie ab.',
    account: 'Mein Konto. Sehen Sie, welche Programme in Ihrem Namen handeln, und beenden Sie ihren Zugriff.',
    docs: 'Dokumentation. Wie Programme Token erhalten, erneuern, prüfen und widerrufen, und was jede Fehlermeldung bedeutet (auf Englisch).',
  },
  code: {
    title: 'Gerät verbinden',
    lead: 'Geben Sie den Code ein, den Ihr Gerät oder Programm anzeigt.',
    label: 'Code',
    hint: 'Acht Buchstaben, zum Beispiel WDJB-MJHT. Groß- und Kleinschreibung und Bindestriche spielen keine Rolle.',
    malformed: 'Ein Code besteht aus acht Buchstaben, darunter kein Vokal. Bitte prüfen Sie ihn.',
    next: 'Weiter',
    checkTitle: 'Zeigt Ihr Gerät diesen Code?',
    check:
      'Vergleichen Sie Buchstabe für Buchstabe. Fahren Sie nur fort, wenn Ihr eigenes Gerät oder Programm denselben Code zeigt.',
    warningTitle: 'Hat Ihnen jemand diesen Code geschickt?',
    warning:
      'Dann brechen Sie hier ab. Mit einem Code handelt ein Programm in Ihrem Namen; er ist nur für die Person bestimmt, die das Programm gestartet hat.',
  },
  signIn: {
    title: 'Anmelden',
    forDevice: (code) => `um zu sehen, wer mit dem Code ${code} um Zugriff bittet`,
    forProgram: (program) => `um zu sehen, worum ${program} bittet`,
    forAccount: 'um zu sehen, was in Ihrem Namen handelt',
    userName: 'Benutzername',
    password: 'Passwort',
    atProvider: (provider) => `Anmelden mit ${provider}`,
    signOutThere: (provider) => `Auch bei ${provider} abmelden`,
    forPasskeys: 'um Ihre Passkeys zu ändern',
    forConsole: 'an der Konsole',
    passkey: 'Mit Passkey anmelden',
    passkeyFailed: 'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal oder nehmen Sie Ihr Passwort.',
  },
  request: {
    title: (integration) => `Darf ${integration} in Ihrem Namen handeln?`,
    by: (vendor) => `von ${vendor}`,
    asks: 'Erbetene Berechtigungen',
    farReaching: 'weitreichend',
    more: 'Mehr zu dieser Anfrage',
    program: 'Programm',
    programUnknown: 'nicht angegeben',
    asked: 'Angefragt',
    time: 'Zeitpunkt',
    left: 'Code gültig',
    leftFor: (length) => `noch ${length}`,
    actsAs: 'Im Namen von',
    client: 'Programm von',
    callsItself: 'Nennt sich',
    returnsTo: 'Antwort geht an',
    thisComputer: 'diesen Computer,',
    anyProgram:
      'Jedes Programm auf diesem Computer kann sich dafür ausgeben. Bestätigen Sie nur, wenn Sie es gerade selbst gestartet haben.',
    anyScheme: (scheme) =>
      `Jedes Programm auf diesem Gerät kann Adressen beanspruchen, die mit ${scheme} beginnen, und die Antwort lesen. Bestätigen Sie nur, wenn Sie es gerade selbst gestartet haben.`,
    changed:
      'Was das Programm erhält, hat sich inzwischen geändert. Es wurde nichts bestätigt. Bitte prüfen Sie es noch einmal.',
    question: 'Haben Sie das gerade selbst gestartet?',
    questionHint: (person) =>
      `Wurden Ihnen Code oder Link geschickt? Lehnen Sie ab, sonst handeln andere im Namen von ${person}.`,
    confirm: 'Bestätigen',
    deny: 'Ablehnen',
    onlyDeny:
      'Sie können diese Anfrage nicht bestätigen. Lehnen Sie sie ab, damit das Gerät oder Programm nicht länger wartet.',
  },
  last: {
    confirmed:
      'Bestätigt. Kehren Sie zu Ihrem Gerät zurück: Es macht in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.',
    redeemed:
      'Bestätigt, und Ihr Gerät hat Zugriff. Das Gerät hat seinen Zugriff abgeholt. Sie können diese Seite schließen.',
    denied:
      'Abgelehnt. Das Gerät erhält keinen Zugriff. Wenn nicht Sie die Anfrage gestartet haben, wollte Sie vielleicht jemand täuschen: Sagen Sie den Betreibern dieses Dienstes Bescheid.',
    expired:
      'Der Code ist abgelaufen. Es wurde nichts bestätigt. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
    spent:
      'Der Code gilt nicht mehr: Die Anmeldung damit ist zu oft fehlgeschlagen. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
    ended:
      'Der Code wurde beendet, von Ihnen oder vom Betreiber. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
    about: (integration) => `Die Anfrage von ${integration}`,
    toAccount: 'Ansehen, was in Ihrem Namen handelt',
    another: 'Anderen Code eingeben',
  },
  qr: {
    title: 'Zum Verbinden scannen',
    lead: 'Richten Sie die Kamera Ihres Telefons auf das Bild und vergleichen Sie dann den Code.',
    picture: 'QR-Code, der die Seite zu diesem Code öffnet',
    or: 'Oder öffnen Sie diese Adresse und geben Sie den Code ein:',
  },
  account: {
    lead: 'Was in Ihrem Namen handelt und wie Sie es beenden.',
    grants: 'Zugriffsrechte',
    grantCount: {
      one: '{count} Zugriffsrecht besteht in Ihrem Namen.',
      other: '{count} Zugriffsrechte bestehen in Ihrem Namen.',
    },
    newestGrants:
      'In Ihrem Namen bestehen oder bestanden kürzlich sehr viele Zugriffsrechte. Diese Seite berücksichtigt nur die neuesten; unten können Sie alle beenden.',
    noGrants: 'Nichts handelt in Ihrem Namen',
    noGrantsHint: 'Programme, die Sie bestätigen, erscheinen hier; Sie können ihren Zugriff jederzeit beenden.',
    permissions: 'Berechtigungen',
    details: 'Details',
    obtained: 'Erhalten',
    origins: {
      device: 'Im Browser bestätigt',
      code: 'Durch ein Programm, das Ihren Browser geöffnet hat',
      certificate: 'Mit Client-Zertifikat',
      assertion: 'Durch einen Workload',
      client: 'Durch die Integration selbst',
      exchange: 'Durch Token-Austausch',
    },
    refreshed: 'Zuletzt erneuert',
    neverRefreshed: 'noch nicht',
    unused:
      'Das einzige Token ist abgelaufen und wurde nie erneuert. Wenn kein Programm von Ihnen es braucht, widerrufen Sie dieses Zugriffsrecht.',
    ends: 'Endet',
    lastAddress: 'Zuletzt benutzt von',
    secondProgram: (first, address) =>
      `Von einem zweiten Programm benutzt, zuerst ${first}, von ${address}. Wenn es nicht Ihres ist, widerrufen Sie dieses Zugriffsrecht.`,
    otherProgram: 'Weiteres Programm',
    grantId: 'Id, für Fragen an den Betreiber',
    revoke: 'Widerrufen',
    grantOf: (integration, obtained) => `das Zugriffsrecht von ${integration}, erhalten am ${obtained}`,
    revokeWarning:
      'Der Zugriff endet sofort, und das lässt sich nicht rückgängig machen. Das Programm kann erneut anfragen.',
    revokeReally: 'Jetzt widerrufen',
    revokeAll: 'Alle Zugriffsrechte widerrufen',
    revokeAllWarning:
      'Alles, was in Ihrem Namen handelt, verliert sofort den Zugriff. Das lässt sich nicht rückgängig machen.',
    revokeAllReally: 'Jetzt alle widerrufen',
    signOutAgents: 'Alle Agenten abmelden',
    signOutAgentsWarning:
      'Jeder Agent und jedes andere Programm, das zum Anmelden Ihren Browser geöffnet hat, verliert sofort den Zugriff. Geräte und Maschinen behalten ihren.',
    signOutAgentsReally: 'Jetzt alle Agenten abmelden',
    newer: 'Neuere',
    older: 'Ältere',
    pages: 'Seiten mit Zugriffsrechten',
    events: 'Letzte Ereignisse',
    noEvents: 'Bisher ist nichts geschehen.',
    olderEvents: 'Ältere Ereignisse',
    eventWords: {
      issued: 'Zugriffsrecht erhalten',
      refreshed: 'Zugriffsrecht erneuert',
      retried: 'Erneuerung wiederholt',
      healed: 'Erneuert, nachdem der Server frühere Erneuerungen verloren hatte',
      reused: 'Altes Refresh-Token vorgelegt',
      revoked: 'Zugriffsrecht widerrufen',
      confirmed: 'Anfrage bestätigt',
      denied: 'Anfrage abgelehnt',
      spent: 'Code durch fehlgeschlagene Anmeldungen verbraucht',
      administered: 'Vom Betrieb geändert',
    },
    retriedElsewhere: 'Erneuerung von einem anderen Programm wiederholt',
    passkeyWords: {
      added: 'Passkey hinzugefügt',
      copied: 'Kopierter Passkey abgelehnt',
      invited: 'Einladung, einen Passkey hinzuzufügen',
      removed: 'Passkey entfernt',
    },
    revocationWords: {
      'by-caller': 'vom Programm selbst',
      'by-holder': 'von Ihnen',
      'by-operator': 'vom Betrieb',
      reuse: 'weil ein altes Refresh-Token oder ein alter Code vorgelegt wurde',
      'rolled-back-store': 'weil der Server aus einer Sicherung wiederhergestellt wurde',
      'certificate-revoked': 'weil das Zertifikat widerrufen wurde',
      restored: 'weil der Server aus einer Sicherung wiederhergestellt wurde',
      'account-ended': 'weil das Konto im Verzeichnis beendet wurde',
    },
    from: (address) => `von ${address}`,
    security: 'Anmeldung',
    signOutEverywhere: 'Überall abmelden',
    signOutEverywhereHint: 'Beendet Ihre Sitzungen in allen Browsern, auch in diesem. Zugriffsrechte bleiben bestehen.',
  },
  password: {
    title: 'Passwort ändern',
    lead: 'Sie bleiben hier angemeldet und werden überall sonst abgemeldet. Zugriffsrechte bleiben bestehen.',
    current: 'Bisheriges Passwort',
    next: 'Neues Passwort',
    nextHint: (characters) => `Mindestens ${characters} Zeichen. Ein paar Wörter hintereinander merken sich leicht.`,
    repeat: 'Neues Passwort noch einmal',
    back: 'Zurück zu meinem Konto',
    objections: {
      'current-wrong': 'Das bisherige Passwort ist falsch.',
      'too-many-tries': 'Zu viele falsche Passwörter. Warten Sie einige Minuten.',
      'too-short': 'Das neue Passwort ist zu kurz.',
      'too-long': 'Das neue Passwort ist zu lang.',
      unchanged: 'Das neue Passwort ist das bisherige.',
      'not-repeated': 'Die beiden neuen Passwörter stimmen nicht überein.',
    },
  },
  passkeys: {
    title: 'Passkeys',
    lead: 'Melden Sie sich mit Fingerabdruck, Gesicht, PIN oder Sicherheitsschlüssel an. Ein Passkey gilt nur auf dieser Website: Eine gefälschte bekommt nichts.',
    added: 'Hinzugefügt',
    used: 'Zuletzt verwendet',
    rename: 'Umbenennen',
    name: 'Name',
    nameHint: 'Damit Sie ihn später erkennen, etwa „Telefon“ oder „Blauer Sicherheitsschlüssel“.',
    passkey: 'Passkey',
    save: 'Speichern',
    remove: 'Entfernen',
    removeWarning: 'Er meldet Sie nicht mehr an, und Sie werden in allen anderen Browsern abgemeldet.',
    removeReally: 'Jetzt entfernen',
    add: 'Passkey hinzufügen',
    failed: 'Es wurde kein Passkey hinzugefügt. Bitte versuchen Sie es noch einmal.',
    known: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
    invitation: 'Einladung',
    invitationHint:
      'Vom Betreiber. Nur ein Passkey, der damit oder nach Anmeldung mit einem solchen Passkey hinzugefügt wird, reicht zum Verwalten dieses Dienstes.',
    onlyWithPasskey:
      'Um Passkeys zu ändern, melden Sie sich mit einem Passkey an. Um ohne ihn einen hinzuzufügen, geben Sie eine Einladung des Betreibers ein.',
    needsScript: 'Um einen Passkey hinzuzufügen, verwenden Sie einen aktuellen Browser und erlauben Sie Skripte.',
    most: (count) => `Sie haben ${count} Passkeys; mehr sind nicht möglich. Entfernen Sie zuerst einen.`,
  },
  notices: {
    revoked: 'Das Zugriffsrecht wurde widerrufen.',
    'revoked-before': 'Dieses Zugriffsrecht war schon beendet.',
    'revoked-all': 'Alle Zugriffsrechte wurden widerrufen.',
    'agents-signed-out': 'Alle Agenten wurden abgemeldet.',
    'password-changed': 'Ihr Passwort wurde geändert, und Sie wurden überall sonst abgemeldet.',
    'signed-out': 'Sie sind abgemeldet.',
    'passkey-added': 'Der Passkey wurde hinzugefügt.',
    'passkey-renamed': 'Der Passkey wurde umbenannt.',
    'passkey-removed': 'Der Passkey wurde entfernt, und Sie wurden überall sonst abgemeldet.',
  },
  refusalTexts: deRefusals,
  refusal: {
    toDevice: 'Code eingeben',
    requestId: (id) => `Vorgang ${id}`,
  },
  permission: (resource, permission) => {
    if (permission === undefined) return `Grundzugriff auf „${resource}“`;
    const verb = VERBS.get(permission);
    return verb ? `„${resource}“ ${verb}` : `„${permission}“ von „${resource}“ verwenden`;
  },
};
