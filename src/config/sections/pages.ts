import { optional } from '../../schema.ts';
import { duration, path, section, text } from '../setting.ts';

export const pages = section('How the pages look.', {
  name: text('a name of 1 to 60 characters', '^[^\\p{Cc}]{1,60}$', 'The name that pages show for the service.', {
    default: 'Tessera',
    example: 'Example Corp access',
  }),
  accent: text('a colour such as #0b5fff', '^#[0-9A-Fa-f]{6}$', 'The colour of buttons and links.', '#0b5fff'),
  strictTransport: duration('How long browsers must use https only (Strict-Transport-Security).', '365d'),
  logo: optional(path('An SVG or PNG file that pages show next to the name.', { example: '/etc/tessera/logo.svg' })),
});
