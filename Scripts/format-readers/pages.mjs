// Opens reports in headless Chromium: every operation is shown, by sight and by keyboard, with and without JavaScript, is found and sorted, no words
// lie over others, and nothing goes wrong.
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
  const within = launch => (launch.scopes ?? []).flatMap(scope => [scope, ...within(scope.report)]);
  const scopes = within(report), scoped = scopes.flatMap(scope => scope.report.operations).length;
  const contents = `({
    names: [...document.querySelectorAll('#operations tbody th > bdi, #operations tbody th > a > bdi')].map(each => each.textContent),
    order: [...document.querySelectorAll('#operations tbody tr')].map(each => each.id),
    bars: document.querySelectorAll('#rows a.op').length,
    scopes: document.querySelectorAll('#rows h3').length,
    scoped: [...document.querySelectorAll('#rows div.op .bar, #rows div.op .never')].filter(each => each.getBoundingClientRect().height > 0).length,
    drawn: [...document.querySelectorAll('#rows a.op')].filter(each => each.getBoundingClientRect().height > 0).length,
    paper: getComputedStyle(document.body).backgroundColor, heading: document.querySelector('h1').textContent,
    elements: document.querySelectorAll('main img, main script, main b, iframe').length,
    verdict: document.querySelector('.verdict').textContent })`;
  // Words of the timeline that lie over others, or beyond its edges.
  const meeting = `(() => {
    const frame = document.getElementById('timeline').getBoundingClientRect(), found = [];
    const words = [...document.querySelectorAll('#timeline .label, #timeline .number, #timeline .head text')].map(each => [each.getBoundingClientRect(), each.textContent])
      .filter(([box]) => box.width > 0).sort(([left], [right]) => left.top - right.top);
    words.forEach(([box, text], place) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(text + ' is cut off');
      for (let next = place + 1; next < words.length && words[next][0].top < box.bottom - 1; next += 1)
        if (words[next][0].left < box.right - 1 && box.left < words[next][0].right - 1) found.push(text + ' lies over ' + words[next][1]);
    });
    return found;
  })()`;
  const lookAt = async (page, mode) => {
    for (const width of [400, 1280, 2560]) {
      await page.page('Emulation.setDeviceMetricsOverride', { width, height: 1000, deviceScaleFactor: 1, mobile: false });
      // The page draws its axis anew after that.
      if (mode === 'with JavaScript') await page.evaluate(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`);
      const found = await page.evaluate(meeting);
      expect(!found.length, `${mode}, ${width} pixels wide: ${found.slice(0, 3).join('; ')}`);
    }
    await page.page('Emulation.clearDeviceMetricsOverride');
  };
  // Evaluating needs no script of the page's own.
  const plain = await open(file, { script: false, dark: true });
  const still = await plain.evaluate(contents);
  await plain.picture(`${name}-dark.png`);
  await lookAt(plain, 'without JavaScript');
  faults.push(...plain.faults);
  await plain.close();

  const page = await open(file, { script: true });
  const live = await page.evaluate(contents);
  await lookAt(page, 'with JavaScript');
  for (const [mode, shown] of [['without JavaScript', still], ['with JavaScript', live]]) {
    expect(shown.names.length === ids.length, `${mode}: ${shown.names.length} of ${ids.length} operations`);
    expect(same(shown.names, ids), `${mode}: other names than those of the operations`);
    expect(same(shown.names.slice(0, 1), ids.filter((id, place) => shown.order[0] === `row-${place}`)), `${mode}: the first row is another's`);
    expect(shown.bars === most && shown.drawn === most, `${mode}: ${shown.drawn} of ${shown.bars} bars drawn, for ${ids.length} operations`);
    expect(shown.scopes === scopes.length && shown.scoped === scoped, `${mode}: ${shown.scoped} operations of ${shown.scopes} scopes, for ${scoped} of ${scopes.length}`);
    expect(!seen(report.scenario) || shown.heading === report.scenario, `${mode}: the heading is ${shown.heading}`);
    expect(shown.elements === 0, `${mode}: a name became an element`);
    expect(shown.verdict.startsWith(report.budget.verdict), `${mode}: the verdict is ${shown.verdict}`);
  }
  expect(still.paper !== live.paper, 'light and dark look the same');
  if (ids.length) {
    // By keyboard: one stop, then arrows; an operation that has the focus marks what it comes after.
    const focused = `({ id: document.activeElement?.dataset?.op, before: [...document.querySelectorAll('#rows .before')].map(each => each.dataset.op) })`;
    await page.evaluate(`document.querySelector('#rows a.op[tabindex="0"]').focus()`);
    const first = await page.evaluate(focused);
    await page.press('ArrowDown');
    const second = await page.evaluate(focused);
    expect(first.id !== undefined && (ids.length === 1 || second.id !== first.id), 'the arrow key goes nowhere');
    const waiting = report.operations.findIndex(operation => operation.after?.length);
    if (waiting >= 0 && ids.length <= 1000) {
      await page.evaluate(`document.getElementById('op-${waiting}').focus()`);
      const shown = await page.evaluate(focused), wanted = report.operations[waiting].after.filter(id => ids.includes(id)).map(id => String(ids.indexOf(id)));
      expect(same(shown.before, wanted), `${ids[waiting]} comes after ${wanted}, and ${shown.before} are marked`);
      await page.picture(`${name}-chosen.png`);
      await page.press('ArrowLeft');
      expect(wanted.includes((await page.evaluate(focused)).id), 'the left arrow does not lead to what came before');
    }
  }
  if (ids.length) {
    // Search, sorting and magnification.
    const tools = `({ tools: !document.getElementById('tools').hidden, rows: [...document.querySelectorAll('#operations tbody tr')].filter(each => !each.hidden).map(each => each.id),
      scoped: [...document.querySelectorAll('#rows div.op')].filter(each => !each.hidden).length,
      bars: [...document.querySelectorAll('#rows a.op')].filter(each => !each.hidden).length,
      stops: [...document.querySelectorAll('#timeline a.op[tabindex="0"]')].filter(each => !each.hidden).length, found: document.getElementById('found').textContent })`;
    const search = text => page.evaluate(`{ const search = document.getElementById('search'); search.value = ${JSON.stringify(text)}; search.dispatchEvent(new Event('input')); }`);
    expect((await page.evaluate(tools)).tools, 'with JavaScript, there is nothing to search with');
    const last = ids.reduce((longest, id) => (seen(id) && !/\s/.test(id) && id.length > longest.length ? id : longest), '');
    if (last) {
      await search(last);
      const shown = await page.evaluate(tools);
      expect(shown.rows.length >= 1 && shown.rows.includes(`row-${ids.indexOf(last)}`), `a search for ${last} shows ${shown.rows.length} rows`);
      expect(shown.stops === Math.min(shown.bars, 1), `a search for ${last} leaves ${shown.stops} stops for the tabulator, on ${shown.bars} bars`);
      expect(shown.found === `${shown.rows.length + shown.scoped} of ${ids.length + scoped}`, `a search says ${shown.found}`);
      expect(!scoped || (shown.scoped > 0 && shown.scoped < scoped), `a search for ${last} shows ${shown.scoped} operations of scopes`);
      await search('');
      expect((await page.evaluate(tools)).stops === 1, 'after a search, the timeline has not one stop for the tabulator');
    }
    // What is critical, and what did not succeed.
    const counts = { '.critical': report.operations.filter(each => each.critical).length, '.failed, .fell-back, .cancelled': report.operations.filter(each => each.outcome !== 'succeeded').length };
    for (const [kind, count] of Object.entries(counts)) {
      await page.evaluate(`document.querySelector('#tools [data-show="${kind}"]').click()`);
      const shown = await page.evaluate(tools);
      expect(shown.rows.length === count, `${kind}: ${shown.rows.length} of ${count} rows are shown`);
      await page.evaluate(`document.querySelector('#tools [data-show="${kind}"]').click()`);
    }
    const original = (await page.evaluate(tools)).rows;
    await page.evaluate(`document.querySelectorAll('#operations thead button')[6].click()`);
    const sorted = await page.evaluate(tools), longest = Math.max(...report.operations.map(operation => operation.durationMs ?? 0));
    const top = report.operations[Number(sorted.rows[0].slice(4))];
    expect(sorted.rows.length === ids.length && (top.durationMs ?? 0) >= longest * 0.99, `sorted by duration, ${top.id} comes first`);
    await page.evaluate(`document.querySelectorAll('#operations thead button')[3].click()`);
    expect(JSON.stringify((await page.evaluate(tools)).rows) === JSON.stringify(original), 'the first order does not come back');
    const width = `document.getElementById('timeline').offsetWidth`, before = await page.evaluate(width);
    await page.evaluate(`document.getElementById('closer').click()`);
    expect((await page.evaluate(width)) > before * 1.9, 'the timeline is not magnified');
    await page.evaluate(`document.getElementById('whole').click()`);
    expect((await page.evaluate(width)) === before, 'the whole launch is not shown again');
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
