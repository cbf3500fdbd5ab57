// Opens reports in headless Chromium, with and without JavaScript, light and dark, in several widths: every operation is there, the verdict is shown, no
// words of a drawing lie over others, no name becomes an element, and nothing goes wrong or is asked of a server.
//
//   node pages.mjs CHROMIUM SCREENSHOTS REPORT PAGE [REPORT PAGE]...
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { end, open } from './browser.mjs';

// Control characters and those that turn the direction of writing are shown by their numbers.
const seen = text => !/[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/.test(text);
const contents = `({ text: document.body.textContent, paper: getComputedStyle(document.body).backgroundColor, heading: document.querySelector('h1').textContent,
  rows: document.querySelectorAll('#operations tbody tr').length, elements: document.querySelectorAll('main img, main script, main b, iframe').length })`;
// Words of the drawing that lie over others.
const meeting = `(() => {
  const found = [], words = [...document.querySelectorAll('#timeline .label, #timeline .number, #timeline text')]
    .map(each => [each.getBoundingClientRect(), each.textContent]).filter(([box]) => box.width > 0).sort(([left], [right]) => left.top - right.top);
  words.forEach(([box, text], place) => {
    for (let next = place + 1; next < words.length && words[next][0].top < box.bottom - 1; next += 1)
      if (words[next][0].left < box.right - 1 && box.left < words[next][0].right - 1) found.push(text + ' lies over ' + words[next][1]);
  });
  return found;
})()`;

async function check(report, file, script) {
  const name = basename(file, '.html'), page = await open(file, { script, dark: !script }), shown = await page.evaluate(contents);
  const expect = (holds, fault) => { if (!holds) page.faults.push(fault); };
  expect(shown.rows === report.operations.length, `${shown.rows} rows for ${report.operations.length} operations`);
  for (const { id } of report.operations) expect(!seen(id) || shown.text.includes(id), `${id} is not shown`);
  expect(!seen(report.scenario) || shown.heading === report.scenario, `the heading is ${shown.heading}`);
  expect(shown.text.includes(report.budget.verdict), 'the verdict is not shown');
  expect(shown.elements === 0, 'a name became an element');
  for (const width of [400, 1280, 2560]) {
    await page.page('Emulation.setDeviceMetricsOverride', { width, height: 1000, deviceScaleFactor: 1, mobile: false });
    // The page may draw anew after that.
    if (script) await page.evaluate(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`);
    const found = await page.evaluate(meeting);
    expect(!found.length, `${width} pixels wide: ${found.slice(0, 3).join('; ')}`);
  }
  await page.picture(`${name}${script ? '' : '-dark'}.png`);
  await page.close();
  return [shown.paper, page.faults];
}

let failed = false;
try {
  for (let place = 4; place < process.argv.length; place += 2) {
    const [reportFile, file] = process.argv.slice(place), report = JSON.parse(readFileSync(reportFile, 'utf8'));
    const [dark, still] = await check(report, file, false), [light, live] = await check(report, file, true);
    const faults = [...still.map(fault => `without JavaScript: ${fault}`), ...live, ...(dark === light ? ['light and dark look the same'] : [])];
    for (const fault of faults.slice(0, 10)) console.error(`${file}: ${fault}`);
    failed ||= faults.length > 0;
  }
} finally {
  await end();
}
process.exit(failed ? 1 : 0);
