/**
 * The layout of a mock site's pages.
 *
 * @module
 */
import { type Html, html } from '../../../src/html.ts'

const STYLE = html`
  * { box-sizing: border-box }
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #16191d; background: #f3f4f6 }
  main { max-width: 25rem; margin: 2rem auto; padding: 1.5rem; background: #fff; border: 1px solid #d5d9df; border-radius: 12px }
  h1 { margin: 0 0 .25rem; font-size: 1.4rem }
  h2 { font-size: 1rem }
  p { margin: 0 0 1rem }
  label { display: block; font-weight: 600 }
  label.check { display: flex; gap: .5rem; align-items: center; margin-top: 1rem; font-weight: 400 }
  input:not([type=checkbox]) { width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit; border: 1px solid #7b838f; border-radius: 8px }
  input[type=checkbox] { width: 1.2rem; height: 1.2rem }
  button { margin-top: 1rem; padding: .6rem 1rem; font: inherit; font-weight: 600; color: #fff; background: #1a4fc4; border: 0; border-radius: 8px }
  form > button { width: 100% }
  :focus-visible { outline: 3px solid #f2a900; outline-offset: 2px }
  [role=alert] { padding: .6rem .75rem; color: #8c1414; background: #fdecec; border-radius: 8px }
  .notice { color: #5c6470; font-size: .85rem }
  section { color: #414852; font-size: .9rem }`

/** A page. */
export const pageOf = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text
