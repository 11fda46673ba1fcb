import type { Texts } from './catalogue.ts';

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
    device: {
      title: 'Gerät verbinden',
      text: 'Ein Gerät oder Programm zeigt Ihnen einen Code: Geben Sie ihn hier ein und bestätigen Sie die Anfrage oder lehnen Sie sie ab.',
    },
    account: {
      title: 'Mein Konto',
      text: 'Sehen Sie, welche Programme in Ihrem Namen handeln, und beenden Sie ihren Zugriff.',
    },
    docs: {
      title: 'Referenz für Entwickler',
      text: 'Wie Programme Token erhalten, erneuern, prüfen und widerrufen, mit Beispielen zum Kopieren.',
    },
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
    forAccount: 'um zu sehen, was in Ihrem Namen handelt',
    userName: 'Benutzername',
    password: 'Passwort',
    button: 'Anmelden',
  },
  request: {
    title: (integration) => `Darf ${integration} in Ihrem Namen handeln?`,
    by: (vendor) => `von ${vendor}`,
    asks: 'Erbetene Berechtigungen',
    farReaching: 'weitreichend',
    facts: 'Woher die Anfrage kommt',
    address: 'Adresse',
    program: 'Programm',
    programUnknown: 'nicht angegeben',
    asked: 'Angefragt',
    left: 'Code gültig',
    leftFor: (length) => `noch ${length}`,
    actsAs: 'Im Namen von',
    question: 'Haben Sie das gerade selbst gestartet?',
    questionHint:
      'Wenn Ihnen jemand den Code oder einen Link geschickt hat, lehnen Sie ab: Sonst erhält diese Person Zugriff in Ihrem Namen.',
    confirm: 'Bestätigen',
    deny: 'Ablehnen',
    onlyDeny: 'Sie können diese Anfrage nicht bestätigen. Lehnen Sie sie ab, damit das Gerät nicht länger wartet.',
  },
  last: {
    confirmed: {
      title: 'Bestätigt',
      text: 'Kehren Sie zu Ihrem Gerät zurück: Es macht in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.',
    },
    redeemed: {
      title: 'Bestätigt, und Ihr Gerät hat Zugriff',
      text: 'Das Gerät hat seinen Zugriff abgeholt. Sie können diese Seite schließen.',
    },
    denied: {
      title: 'Abgelehnt',
      text: 'Das Gerät erhält keinen Zugriff. Wenn nicht Sie die Anfrage gestartet haben, wollte Sie vielleicht jemand täuschen: Sagen Sie den Betreibern dieses Dienstes Bescheid.',
    },
    expired: {
      title: 'Der Code ist abgelaufen',
      text: 'Es wurde nichts bestätigt. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
    },
    spent: {
      title: 'Der Code gilt nicht mehr',
      text: 'Die Anmeldung damit ist zu oft fehlgeschlagen. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
    },
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
    title: 'Mein Konto',
    lead: 'Was in Ihrem Namen handelt und wie Sie es beenden.',
    grants: 'Zugriffsrechte',
    grantCount: {
      one: '{count} Zugriffsrecht besteht in Ihrem Namen.',
      other: '{count} Zugriffsrechte bestehen in Ihrem Namen.',
    },
    noGrants: 'Nichts handelt in Ihrem Namen',
    noGrantsHint: 'Programme, die Sie bestätigen, erscheinen hier; Sie können ihren Zugriff jederzeit beenden.',
    obtained: 'Erhalten',
    origins: { device: 'Im Browser bestätigt', certificate: 'Mit Client-Zertifikat' },
    refreshed: 'Zuletzt erneuert',
    neverRefreshed: 'noch nicht',
    ends: 'Endet',
    lastAddress: 'Zuletzt benutzt von',
    revoke: 'Widerrufen',
    revokeOf: (integration) => `Zugriffsrecht von ${integration} widerrufen`,
    revokeWarning:
      'Der Zugriff endet sofort, und das lässt sich nicht rückgängig machen. Das Programm kann erneut anfragen.',
    revokeReally: 'Jetzt widerrufen',
    revokeAll: 'Alle Zugriffsrechte widerrufen',
    revokeAllWarning:
      'Alles, was in Ihrem Namen handelt, verliert sofort den Zugriff. Das lässt sich nicht rückgängig machen.',
    revokeAllReally: 'Jetzt alle widerrufen',
    newer: 'Neuere',
    older: 'Ältere',
    pages: 'Seiten mit Zugriffsrechten',
    events: 'Letzte Ereignisse',
    noEvents: 'Bisher ist nichts geschehen.',
    eventWords: {
      issued: 'Zugriffsrecht erhalten',
      refreshed: 'Zugriffsrecht erneuert',
      retried: 'Erneuerung wiederholt',
      reused: 'Altes Refresh-Token vorgelegt',
      revoked: 'Zugriffsrecht widerrufen',
      confirmed: 'Gerät bestätigt',
      denied: 'Gerät abgelehnt',
      spent: 'Code durch fehlgeschlagene Anmeldungen verbraucht',
      administered: 'Vom Betrieb geändert',
    },
    revocationWords: {
      'by-caller': 'vom Programm selbst',
      'by-holder': 'von Ihnen',
      'by-operator': 'vom Betrieb',
      reuse: 'weil ein altes Refresh-Token vorgelegt wurde',
      'rolled-back-store': 'weil der Server aus einer Sicherung wiederhergestellt wurde',
      'certificate-revoked': 'weil das Zertifikat widerrufen wurde',
      restored: 'weil der Server aus einer Sicherung wiederhergestellt wurde',
    },
    from: (address) => `von ${address}`,
    security: 'Anmeldung',
    changePassword: 'Passwort ändern',
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
    button: 'Passwort ändern',
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
  docs: {
    title: 'Referenz',
    contents: 'Operationen',
    version: (version) => `Version ${version} läuft hier.`,
    address: 'Die Adresse dieses Dienstes:',
    samplesHint: 'Ein Klick markiert einen ganzen Befehl. Ersetzen Sie, was in Großbuchstaben steht.',
    document: 'Diese Referenz als OpenAPI 3.1',
    withBearer: 'mit',
    takes: 'Nimmt',
    answers: 'Antworten',
  },
  notices: {
    revoked: 'Das Zugriffsrecht wurde widerrufen.',
    'revoked-before': 'Dieses Zugriffsrecht war schon beendet.',
    'revoked-all': 'Alle Zugriffsrechte wurden widerrufen.',
    'password-changed': 'Ihr Passwort wurde geändert, und Sie wurden überall sonst abgemeldet.',
    'signed-out': 'Sie sind abgemeldet.',
  },
  sayings: {
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
      text: 'Die Anmeldung damit ist zu oft fehlgeschlagen. Beginnen Sie auf Ihrem Gerät von vorn, um einen neuen Code zu erhalten.',
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
    integrationGone: {
      title: 'Diese Integration gibt es nicht mehr',
      text: 'Wenden Sie sich an die Betreiber dieses Dienstes.',
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
    outcomeUnknown: {
      title: 'Es ist nicht bekannt, ob das geklappt hat',
      text: 'Beim Speichern ist ein Fehler aufgetreten. Gehen Sie gleich zurück und sehen Sie nach, bevor Sie es noch einmal versuchen.',
    },
    fault: {
      title: 'Etwas ist kaputtgegangen',
      text: 'Das liegt an uns, nicht an Ihnen. Versuchen Sie es noch einmal; bleibt es dabei, sagen Sie den Betreibern dieses Dienstes Bescheid.',
    },
  },
  refusal: {
    toDevice: 'Code eingeben',
    toAccount: 'Mein Konto',
    requestId: (id) => `Vorgang ${id}`,
  },
  permission: (resource, permission) => {
    if (permission === undefined) return `Grundzugriff auf „${resource}“`;
    const verb = VERBS.get(permission);
    return verb ? `„${resource}“ ${verb}` : `„${permission}“ von „${resource}“ verwenden`;
  },
};
