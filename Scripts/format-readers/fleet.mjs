// Opens the page of a fleet in headless Chromium: each drawing and table is shown, by sight and by keyboard, with and without JavaScript, light and dark.
//
//   node fleet.mjs CHROMIUM SCREENSHOTS PAGE
import { end, open } from './browser.mjs';

const faults = [], file = process.argv[4];
const expect = (holds, fault) => { if (!holds) faults.push(fault); };
const contents = `({
  drawings: [...document.querySelectorAll('.chart svg')].filter(each => each.getBoundingClientRect().height > 50).length, figures: document.querySelectorAll('.chart').length,
  tables: [...document.querySelectorAll('section > .wide table')].filter(each => each.getBoundingClientRect().height > 20).length,
  sections: document.querySelectorAll('section').length, links: [...document.querySelectorAll('nav a')].filter(each => document.querySelector(each.hash)).length,
  findings: document.querySelectorAll('.findings li').length, paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
  unnamed: [...document.querySelectorAll('.at')].filter(each => !each.getAttribute('aria-label')).length,
  wider: document.documentElement.scrollWidth > document.documentElement.clientWidth })`;
const here = `({ words: document.activeElement?.closest?.('.chart')?.querySelector('.chosen').textContent, label: document.activeElement?.getAttribute('aria-label'),
  stops: document.activeElement?.closest?.('.chart')?.querySelectorAll('.at[tabindex="0"]').length })`;
// WCAG's relative luminance, and the contrast of two colours.
const light = colour => colour.match(/[\d.]+/g).slice(0, 3).map(each => each / 255).map(each => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
  .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);

try {
  const plain = await open(file, { script: false, dark: true });
  const still = await plain.evaluate(contents);
  await plain.picture('fleet-dark.png');
  faults.push(...plain.faults);
  await plain.close();
  const page = await open(file, { script: true });
  const live = await page.evaluate(contents);
  for (const [mode, shown] of [['without JavaScript, dark', still], ['with JavaScript, light', live]]) {
    expect(shown.drawings > 0 && shown.drawings === shown.figures, `${mode}: ${shown.drawings} of ${shown.figures} drawings`);
    expect(shown.tables >= 8 && shown.sections >= 10 && shown.links === shown.sections, `${mode}: ${shown.tables} tables, ${shown.links} links to ${shown.sections} sections`);
    expect(shown.findings > 0 && shown.unnamed === 0 && !shown.wider, `${mode}: ${shown.findings} findings, ${shown.unnamed} points without words, wider: ${shown.wider}`);
    expect(contrast(shown.paper, shown.ink) >= 7, `${mode}: ${shown.ink} on ${shown.paper}`);
  }
  expect(still.paper !== live.paper, 'light and dark look the same');
  // One stop for each drawing, then keys: what is chosen is said below it.
  for (let place = 0; place < live.figures; place++) {
    await page.evaluate(`document.querySelectorAll('.chart')[${place}].querySelector('.at[tabindex="0"]').focus()`);
    const first = await page.evaluate(here);
    await page.press('ArrowRight');
    const second = await page.evaluate(here);
    await page.press('End');
    const last = await page.evaluate(here);
    for (const each of [first, second, last]) expect(each.words && each.words === each.label && each.stops === 1, `drawing ${place}: '${each.words}' instead of '${each.label}', ${each.stops} stops`);
    expect(second.words !== first.words && last.words !== second.words, `drawing ${place}: the keys go nowhere`);
    await page.press('Home');
    expect((await page.evaluate(here)).words === first.words, `drawing ${place}: Home does not lead back`);
  }
  await page.picture('fleet-chosen.png');
  await page.press('Escape');
  expect((await page.evaluate(here)).words === undefined, 'Escape does not let go');
  await page.evaluate(`document.querySelector('summary').click()`);
  expect(await page.evaluate(`document.querySelector('details[open] table').getBoundingClientRect().height > 20`), 'the launches behind a number are not shown');
  await page.evaluate('scrollTo(0, 0)');
  await page.picture('fleet.png');
  faults.push(...page.faults);
  await page.close();
} finally {
  await end();
}
console.log(`${file}: ${faults.length ? 'wrong' : 'as it should be'}`);
for (const fault of faults.slice(0, 10)) console.error(`${file}: ${fault}`);
process.exit(faults.length ? 1 : 0);
