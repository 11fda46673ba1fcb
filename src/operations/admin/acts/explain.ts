import { described, list, named, object, string } from '../../../schema.ts';
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
const OfToken = described<TokenExplanation>({ type: 'object', title: 'TokenExplanation' });
const OfCaller = described<CallerExplanation>({ type: 'object', title: 'CertificateExplanation' });
const OfAssertion = described<AssertionExplanation>({ type: 'object', title: 'AssertionExplanation' });
const OfScope = described<ScopeExplanation>({ type: 'object', title: 'ScopeExplanation' });

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
