// Opens reports in headless Chromium: every operation is shown, by sight and by keyboard, with and without JavaScript, and nothing goes wrong.
//
//   node pages.mjs CHROMIUM SCREENSHOTS REPORT PAGE [REPORT PAGE]...
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { end, open } from './browser.mjs';

const files = process.argv.slice(4);
// Control characters and those that turn the direction of writing are shown by their numbers.
const seen = text => !/[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/.test(text);
const same = (left, right) => JSON.stringify([...left].sort()) === JSON.stringify([...right].sort());

async function check(report, file, name) {
  const expect = (holds, fault) => { if (!holds) faults.push(fault); };
  const faults = [], ids = report.operations.map(operation => operation.id), most = Math.min(ids.length, 1000);
  const contents = `({
    names: [...document.querySelectorAll('#operations tbody th a bdi')].map(each => each.textContent),
    bars: document.querySelectorAll('#timeline a.op').length,
    drawn: [...document.querySelectorAll('#timeline a.op')].filter(each => each.getBoundingClientRect().height > 0).length,
    paper: getComputedStyle(document.body).backgroundColor, heading: document.querySelector('h1').textContent,
    elements: document.querySelectorAll('main img, main script, main b, iframe').length,
    verdict: document.querySelector('.verdict').textContent })`;
  // Evaluating needs no script of the page's own.
  const plain = await open(file, { script: false, dark: true });
  const still = await plain.evaluate(contents);
  await plain.picture(`${name}-dark.png`);
  faults.push(...plain.faults);
  await plain.close();

  const page = await open(file, { script: true });
  const live = await page.evaluate(contents);
  for (const [mode, shown] of [['without JavaScript', still], ['with JavaScript', live]]) {
    expect(shown.names.length === ids.length, `${mode}: ${shown.names.length} of ${ids.length} operations`);
    ids.forEach((id, place) => expect(shown.names[place] === id, `${mode}: ${shown.names[place]} instead of ${id}`));
    expect(shown.bars === most && shown.drawn === most, `${mode}: ${shown.drawn} of ${shown.bars} bars drawn, for ${ids.length} operations`);
    expect(!seen(report.scenario) || shown.heading === report.scenario, `${mode}: the heading is ${shown.heading}`);
    expect(shown.elements === 0, `${mode}: a name became an element`);
    expect(shown.verdict.startsWith(report.budget.verdict), `${mode}: the verdict is ${shown.verdict}`);
  }
  expect(still.paper !== live.paper, 'light and dark look the same');
  if (ids.length) {
    // By keyboard: one stop, then arrows; what is chosen shows what it comes after.
    const chosen = `({ id: document.activeElement?.dataset?.op, details: document.getElementById('details').innerText, hidden: document.getElementById('details').hidden,
      before: [...document.querySelectorAll('#timeline a.before')].map(each => each.dataset.op),
      lines: document.querySelectorAll('#links path').length, selected: document.querySelectorAll('tr.selected').length })`;
    await page.evaluate(`document.querySelector('#timeline a.op[tabindex="0"]').focus()`);
    const first = await page.evaluate(chosen);
    await page.press('ArrowDown');
    const second = await page.evaluate(chosen);
    expect(first.id !== undefined && !first.hidden && first.details.includes('Outcome'), `nothing is shown of the first: ${first.details}`);
    expect(ids.length === 1 || second.id !== first.id, 'the arrow key goes nowhere');
    const waiting = report.operations.findIndex(operation => operation.after?.length);
    if (waiting >= 0 && ids.length <= 1000) {
      await page.evaluate(`document.getElementById('op-${waiting}').focus()`);
      const shown = await page.evaluate(chosen), wanted = report.operations[waiting].after.filter(id => ids.includes(id)).map(id => String(ids.indexOf(id)));
      expect(same(shown.before, wanted), `${ids[waiting]} comes after ${wanted}, and ${shown.before} are marked`);
      expect(shown.lines >= wanted.length && shown.selected === 1, `${shown.lines} lines, ${shown.selected} rows chosen`);
      await page.picture(`${name}-chosen.png`);
      await page.press('ArrowLeft');
      expect(wanted.includes((await page.evaluate(chosen)).id), 'the left arrow does not lead to what came before');
    }
    await page.press('Escape');
    expect((await page.evaluate(chosen)).hidden, 'Escape does not let go');
    await page.evaluate(`document.querySelector('#timeline a.op').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`);
    expect(!(await page.evaluate(chosen)).hidden, 'a click shows nothing');
  }
  await page.evaluate(`document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))`);
  await page.picture(`${name}.png`);
  faults.push(...page.faults);
  await page.close();
  return faults;
}

let failed = false;
try {
  for (let place = 0; place < files.length; place += 2) {
    const name = basename(files[place + 1], '.html');
    const faults = await check(JSON.parse(readFileSync(files[place], 'utf8')), files[place + 1], name);
    console.log(`${files[place + 1]}: ${faults.length ? 'wrong' : 'as it should be'}`);
    for (const fault of faults.slice(0, 10)) console.error(`${files[place + 1]}: ${fault}`);
    failed ||= faults.length > 0;
  }
} finally {
  await end();
}
process.exit(failed ? 1 : 0);
