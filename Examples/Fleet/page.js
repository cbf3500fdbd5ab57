// One stop of Tab for each drawing; arrows, Home and End go through it, Escape leaves it. The line below says what is chosen, or pointed at.
for (const chart of document.querySelectorAll('.chart')) {
  const points = [...chart.querySelectorAll('.at')], words = chart.querySelector('.chosen');
  const say = point => { words.textContent = point ? point.getAttribute('aria-label') : '\u00a0'; };
  const go = place => {
    const point = points[Math.max(0, Math.min(points.length - 1, place))];
    for (const each of points) each.setAttribute('tabindex', each === point ? 0 : -1);
    point.focus();
  };
  points.forEach((point, place) => {
    point.addEventListener('focus', () => say(point));
    point.addEventListener('blur', () => say());
    point.addEventListener('pointerenter', () => say(point));
    point.addEventListener('click', () => go(place));
    point.addEventListener('keydown', event => {
      const to = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: points.length - 1 }[event.key];
      if (event.key === 'Escape') point.blur();
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
  });
}
