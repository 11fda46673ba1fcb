// "The nightly job fails since Tuesday: find out why and fix it", for somebody with a browser and fresh eyes. One of five causes is at work.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CAUSES, NightlyJob } from '../test/doors/console/nightly-job.ts';
import { SESSION_COOKIE } from '../test/doors/pages/visitor.ts';

const EVERY_MS = 2000;

const USAGE = `npm run lab -- newcomer [--cause 1 to ${Object.keys(CAUSES).length}]`;

export async function tryNewcomer(flags: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...flags], options: { cause: { type: 'string' } } });
  const all = Object.entries(CAUSES);
  const number = values.cause === undefined ? 1 + Math.floor(Math.random() * all.length) : Number(values.cause);
  const [name, cause] = all[number - 1] ?? [];
  if (!name || !cause) throw new Error(USAGE);
  const job = await NightlyJob.open();
  await job.failBy(cause);
  let began = performance.now();
  const desk = createServer((request, response) => {
    if (request.url === '/') began = performance.now();
    answer(job, request, response).catch((fault: unknown) => response.writeHead(500).end(String(fault)));
  });
  await once(desk.listen(0, 'localhost'), 'listening');
  const here = `http://localhost:${(desk.address() as AddressInfo).port}`;
  console.log(`The nightly job of the integration orders-sync fails since Tuesday. Find out why, and make it run again.

  ${here}/      signs you in as the operator olga, and leads to the console (accept its certificate); time runs from here
  ${here}/team  whoever runs the job: they do what you ask them to

It tries again every ${EVERY_MS / 1000} seconds. A script opens the first address and ignores certificate errors.`);
  while (!(await job.isRepaired())) await sleep(EVERY_MS);
  console.log(`solved after ${Math.round((performance.now() - began) / 1000)} s: it was ${name}`);
  desk.close();
  desk.closeAllConnections();
  await job.scene.stop();
}

const TEAM = `<!doctype html><html lang="en"><title>The team of the nightly job</title>
<h1>The team of the nightly job</h1>
<p>We run what calls orders-sync. Our certificate is below. Tell us if we shall do something.</p>
<form method="post" action="/team/new-certificate"><button>Get a new certificate</button></form>
<form method="post" action="/team/start-anew"><button>Forget our tokens, and call with the certificate</button></form>`;

/** A visit to the first page begins a session, as a passkey would. Cookies hold for all ports of a host. */
async function answer(job: NightlyJob, { url, method }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url === '/') {
    const cookie = `${SESSION_COOKIE}=${await job.scene.cookie('olga')}; Path=/; Secure; HttpOnly; SameSite=Lax`;
    response.writeHead(303, { location: `${job.scene.service.url}/console`, 'set-cookie': cookie }).end();
    return;
  }
  const isAsked = method === 'POST';
  if (isAsked && url === '/team/new-certificate') job.renewCertificate();
  else if (isAsked && url === '/team/start-anew') job.startAnew();
  else if (url !== '/team') {
    response.writeHead(404).end();
    return;
  }
  const done = isAsked ? '<p role="status">Done.</p>' : '';
  response.writeHead(200, { 'content-type': 'text/html' }).end(`${TEAM}${done}<pre>${job.certificate.pem}</pre>`);
}
