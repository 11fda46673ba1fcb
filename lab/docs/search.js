const field = document.querySelector('#search');
const found = document.querySelector('#found');
const root = document.documentElement.dataset.root;

field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : PAGES.filter(({ title, text }) => contains(`${title} ${text}`, words));
  found.replaceChildren(...hits.slice(0, 12).map((page) => entry(page, words[0])));
});

function contains(text, words) {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function entry({ path, title, text }, word) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = root + path;
  link.textContent = title;
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  item.append(` … ${text.slice(at, at + 110)} …`);
  return item;
}
