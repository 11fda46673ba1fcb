import type { Step } from '../../../core/verdict.ts';
import { boolean, described, integer, list, named, object, optional, type Schema, string } from '../../../schema.ts';
import type { AssertionExplanation, CallerExplanation, ScopeExplanation, TokenExplanation } from '../explain.ts';
import { CLOSED } from '../members.ts';
import { act, answer } from './act.ts';
import { EventObject, RefusalObject } from './event.ts';

const work = () => import('./work/explain.ts');
const rules = () => import('../explain.ts');

const Token = object({ token: string({ writeOnly: true }) }, { ...CLOSED, title: 'TokenToExplain' });
const PEM = string({ description: 'PEM: the certificate, and any others that the caller sends with it.' });
const Certificates = object({ certificates: PEM }, { ...CLOSED, title: 'CertificatesToExplain' });
const Assertion = object({ assertion: string({ writeOnly: true }) }, { ...CLOSED, title: 'AssertionToExplain' });
const OfToken = described<TokenExplanation>({
  ...named('TokenExplanation', {
    operation: string({ description: 'verify, refresh or redeem.' }),
    refusal: optional(string({ description: 'Absent: it would be accepted.' })),
    facts: described({ type: 'object', additionalProperties: { anyOf: [string(), integer()] } }),
  } satisfies Record<keyof TokenExplanation, Schema>),
});
const REACH = list(object({ clientId: string(), refusal: optional(string()) }), {
  description: 'Whether each integration would grant its whole scope.',
});
const STEPS = list(
  named('ExplanationStep', {
    rule: string(),
    passed: boolean(),
    about: string({ description: 'Which certificate, or which part.' }),
    words: string({ description: 'What is demanded, and what was found.' }),
    setting: optional(string({ description: 'Which makes the rule apply.' })),
    reason: string({ description: 'What a failure means to the caller.' }),
  } satisfies Record<keyof Step, Schema>),
);
const CERTIFICATE = named('CertificateSummary', {
  subject: string(),
  issuer: string(),
  serial: string({ description: 'In hex.' }),
  validity: string(),
  key: string(),
  signature: string(),
  fingerprint: string({ description: 'SHA-256.' }),
  names: list(string()),
} satisfies Record<keyof CallerExplanation['presented'][number], Schema>);
const OfCaller = described<CallerExplanation>({
  ...named('CertificateExplanation', {
    accepted: boolean(),
    at: string({ format: 'date-time' }),
    refusal: optional(object({ reason: string(), rule: optional(string()) })),
    issuer: optional(string({ description: 'The label of the approved issuer.' })),
    identity: optional(object({ source: string(), name: string() })),
    integrations: optional(described({ anyOf: [list(string()), string({ enum: ['all'] })] })),
    presented: list(CERTIFICATE),
    steps: STEPS,
    identityId: optional(string({ description: 'Of the caller.' })),
    reach: optional(REACH),
  } satisfies Record<keyof CallerExplanation, Schema>),
});
const OfAssertion = described<AssertionExplanation>({
  ...named('AssertionExplanation', {
    accepted: boolean(),
    at: string({ format: 'date-time' }),
    refusal: optional(object({ reason: string() })),
    tokenIssuer: optional(string({ description: 'The label of the token issuer.' })),
    identityId: optional(string({ description: 'Of the caller.' })),
    name: optional(string({ description: 'What the claims call it.' })),
    steps: STEPS,
    reach: optional(REACH),
  } satisfies Record<keyof AssertionExplanation, Schema>),
});
const OfScope = described<ScopeExplanation>({
  ...named('ScopeExplanation', {
    scope: optional(string({ description: 'Of the integration.' })),
    items: list(object({ item: string(), has: boolean() })),
    refusal: optional(string()),
  } satisfies Record<keyof ScopeExplanation, Schema>),
});

export const EXPLAIN_ACTS = {
  'explain-request': act('read', 'GET', '/explain/requests/{id}', {
    command: 'explain request',
    page: 'explain',
    summary: 'What is known of a request',
    answers: named('RequestExplanation', { events: list(EventObject), refusals: list(RefusalObject) }),
    run: async ({ id }, ports) => (await work()).explainRequest(id, ports),
  }),
  'explain-token': act('read', 'POST', '/explain/token', {
    command: 'explain token',
    page: 'explain',
    summary: 'What the service would say to a token',
    body: Token,
    answers: OfToken,
    run: async ({ body: { token } }, { callerPorts }) =>
      answer(await (await rules()).explainToken(token, await callerPorts())),
  }),
  'explain-certificate': act('read', 'POST', '/explain/certificate', {
    command: 'explain certificate',
    page: 'explain',
    summary: 'How a certificate would be judged',
    body: Certificates,
    answers: OfCaller,
    run: async ({ body: { certificates } }, ports) => (await work()).explainCertificates(certificates, ports),
  }),
  'explain-assertion': act('read', 'POST', '/explain/assertion', {
    command: 'explain assertion',
    page: 'explain',
    summary: 'How an assertion would be judged',
    body: Assertion,
    answers: OfAssertion,
    run: async ({ body: { assertion } }, ports) => (await work()).explainJwt(assertion, ports),
  }),
  'explain-scope': act('read', 'GET', '/explain/scope', {
    command: 'explain scope',
    page: 'explain',
    summary: 'What an integration has of a scope',
    query: object({ integration: string({ description: 'Its client id.' }), scope: string() }),
    answers: OfScope,
    run: async ({ query: { integration, scope } }, { callerPorts }) =>
      answer((await rules()).explainScope(integration, scope, (await callerPorts()).registry)),
  }),
};
