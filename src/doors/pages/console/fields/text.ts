// Texts of one line, of several lines, and those that are hidden.
import { formatDuration, parseDuration } from '../../../../core/duration.ts';
import { html } from '../../parts/html.ts';
import { enConsole } from '../../parts/texts/en-console.ts';
import { labelled, plain, type Sort, textArea } from './field.ts';

export const text: Sort = {
  show: (field) => labelled(field, (attributes) => html`<input ${attributes} value="${plain(field.value)}">`),
  read: (form, { path }) => form[path],
};

export const longText: Sort = {
  show: (field) => textArea(field, plain(field.value), 8),
  read: (form, { path }) => form[path]?.replaceAll('\r\n', '\n'),
};

export const password: Sort = {
  show: (field) =>
    labelled(field, (attributes) => html`<input ${attributes} type="password" autocomplete="new-password">`),
  read: (form, { path }) => form[path],
};

/** Seconds, as people say them: 15m. */
export const duration: Sort = {
  show: (field) => {
    const shown = typeof field.value === 'number' ? formatDuration(field.value) : plain(field.value);
    const hint = enConsole.form.duration;
    return labelled(field, (attributes) => html`<input ${attributes} value="${shown}">`, hint);
  },
  read: (form, { path }) => {
    const entered = form[path];
    return entered === undefined ? undefined : (parseDuration(entered) ?? entered);
  },
};
