/**
 * What a login is for: the tasks that need it or can use it, and what it gives them.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { type Html, html, words } from '../../html.ts'

/**
 * The tasks of a source that use its login, in words.
 *
 * @param tasks of the source
 * @param front of the paths of tasks, without a trailing slash
 */
export function usesOf(tasks: readonly CatalogueTask[], front: string): Html {
  const needed = tasks.filter(({ declaration }) => declaration.needs?.login === true)
  const optional = tasks.filter(({ declaration }) => declaration.needs?.login === 'optional')
  const link = ({ key, declaration }: CatalogueTask) =>
    html`<a href="${front}/${key}">${declaration.title}</a>`
  const line = (label: string, all: readonly CatalogueTask[]) =>
    all.length > 0 && html`<p>${label} ${joined(all.map(link))}</p>`
  const texts = [...Map.groupBy([...needed, ...optional], ({ declaration }) => declaration.access)]
  const access = texts.flatMap(([text, all]) =>
    text === undefined
      ? []
      : html`<dt>${joined(all.map(({ declaration }) => declaration.title))}</dt><dd>${words(text)}</dd>`,
  )
  return html`<div class="login-uses">${line('Needed for', needed)}${line('Optional for', optional)}${access.length > 0 && html`<details><summary>What it opens</summary><dl>${access}</dl></details>`}</div>`
}

const joined = (parts: readonly (Html | string)[]): Html[] =>
  parts.map((part, i) => html`${i > 0 && ', '}${part}`)
