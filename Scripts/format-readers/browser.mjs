// Headless Chromium over a pipe, in its DevTools protocol: https://chromedevtools.github.io/devtools-protocol/. Imported by what
// opens pages: its first two arguments are the browser's path and the folder of pictures.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
const browser = spawn(
  process.argv[2],
  ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--window-size=1400,1000', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] }
);
const [, , , input, output] = browser.stdio;
mkdirSync(process.argv[3], { recursive: true });
const waiting = new Map(), listeners = new Set();
let received = '', last = 0;
output.setEncoding('utf8').on('data', data => {
  const messages = (received + data).split('\0');
  received = messages.pop();
  for (const message of messages.map(text => JSON.parse(text))) {
    const answer = waiting.get(message.id);
    waiting.delete(message.id);
    if (answer) message.error ? answer.reject(new Error(message.error.message)) : answer.resolve(message.result);
    else for (const listener of listeners) listener(message);
  }
});
browser.on('exit', () => { for (const { reject } of waiting.values()) reject(new Error('the browser ended')); });

function send(method, params = {}, sessionId) {
  const id = ++last;
  input.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

export async function open(file, { script, dark = false }) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const faults = [], page = (method, params) => send(method, params, sessionId);
  let loaded;
  const ready = new Promise(resolve => { loaded = resolve; });
  const listen = ({ method, params, sessionId: session }) => {
    if (session !== sessionId) return;
    if (method === 'Page.loadEventFired') loaded();
    if (method === 'Runtime.exceptionThrown') faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled') faults.push(`console.${params.type}: ${params.args.map(each => each.value).join(' ')}`);
    if (method === 'Log.entryAdded') faults.push(`${params.entry.level}: ${params.entry.text}`);
    if (method === 'Network.requestWillBeSent' && params.request.url !== pathToFileURL(resolve(file)).href) faults.push(`asked for ${params.request.url}`);
  };
  listeners.add(listen);
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page(`${domain}.enable`);
  await page('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  await page('Emulation.setScriptExecutionDisabled', { value: !script });
  await page('Page.navigate', { url: pathToFileURL(resolve(file)).href });
  await ready;
  return {
    faults, page,
    async evaluate(expression) {
      const { result, exceptionDetails } = await page('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
      return result.value;
    },
    async picture(name) {
      const { data } = await page('Page.captureScreenshot', { format: 'png' });
      writeFileSync(join(process.argv[3], name), Buffer.from(data, 'base64'));
    },
    async close() { listeners.delete(listen); await send('Target.closeTarget', { targetId }); },
  };
}

export async function end() {
  await send('Browser.close').catch(() => {});
  await new Promise(resolve => (browser.exitCode === null && browser.signalCode === null ? browser.on('exit', resolve) : resolve()));
  rmSync(profile, { recursive: true, force: true });
}
