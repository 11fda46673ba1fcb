import { flag, section, text, texts } from '../setting.ts';

export const oauth = section(
  'The oauth door, for any OAuth 2.0 library (docs/callers.md). Its issuer is `publicUrl`.',
  {
    enabled: flag('Whether the door is served, with its metadata under `/.well-known`.', true),
    mount: text(
      'a path such as /oauth2',
      '^(/[A-Za-z0-9._~-]+)+$',
      'The path of the endpoints; case sensitive.',
      '/oauth2',
    ),
    clientDocuments: texts(
      'a list of host names, or * for all',
      '^(\\*|[a-z0-9.-]+(:[0-9]{1,5})?)$',
      'Hosts whose clients need no registration: their `client_id` is the address of a document (docs/agents.md).',
      { default: [], example: ['agents.example.com'] },
    ),
    clientDocumentAddresses: texts(
      'a list of IP addresses or networks',
      '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$',
      'Private addresses from which such documents may be fetched.',
      { default: [], example: ['10.2.0.0/16'] },
    ),
    guestIntegration: text(
      'the Client ID of an integration',
      '^[!-~]{1,128}$',
      'The integration of clients with a document.',
      'guests',
    ),
  },
);
