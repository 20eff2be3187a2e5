// Are the texts of SVG files shown as they stand, blanks included? Each file is drawn by librsvg as
// PDF, and the words that pdftotext finds there are compared with the text of the file.
// usage: node rendering.mjs FILE.svg...
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

// The texts of a document; '\u0001' where a span begins or ends: a line may be broken there.
function texts(svg) {
  return [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map((m) =>
    m[1].replace(/<[^>]*>/g, '\u0001').replace(/&\w+;/g, (e) => entities[e]),
  )
}

// Does `shown`, from `at` on, show the text? Where it has a blank there must be one (a line's end
// will do); elsewhere there may be none, but for ends of lines where spans meet. The position after
// it, or -1.
function match(text, shown, at) {
  let border = false
  for (const c of text) {
    if (c === '\u0001') border = true
    else if (c === ' ') {
      const from = at
      while (/\s/.test(shown[at] ?? '')) at++
      if (at === from && at > 0 && !/\s/.test(shown[at - 1])) return -1
    } else {
      if (border) while (shown[at] === '\n') at++
      if (shown[at] !== c) return -1
      at++
      border = false
    }
  }
  return at
}

function shownBy(file, place) {
  const pdf = join(place, 'page.pdf')
  execFileSync('rsvg-convert', ['--format', 'pdf', '--output', pdf, file])
  return execFileSync('pdftotext', ['-raw', '-enc', 'UTF-8', pdf, '-'], { encoding: 'utf8' })
}

const place = mkdtempSync(join(tmpdir(), 'carom-'))
let bad = 0
for (const file of process.argv.slice(2)) {
  const shown = [...shownBy(file, place).normalize('NFC')]
  for (const text of texts(readFileSync(file, 'utf8'))) {
    const wanted = text.normalize('NFC').replace(/^ +| +$/g, '')
    let found = -1
    for (let at = 0; at < shown.length && found < 0; at++) found = match(wanted, shown, at)
    if (found < 0) {
      console.error(`${file}: not shown as it stands: ${wanted.replaceAll('\u0001', '')}`)
      bad++
    }
  }
}
rmSync(place, { recursive: true })
console.log(`${process.argv.length - 2} pictures, ${bad} texts not shown as they stand`)
process.exit(bad ? 1 : 0)
