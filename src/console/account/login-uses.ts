/**
 * What a login is for: the tasks that need it or can use it, and what it gives them.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { loginNeed } from '../../catalogue/login-need.ts'
import { type Html, html, words } from '../../html.ts'
import type { AccountVisitor } from '../visitor.ts'

/** The tasks that use a login, in words. @param tasks of its source */
export function usesOf({ deps, own }: AccountVisitor, tasks: readonly CatalogueTask[]): Html {
  const { needed = [], optional = [] } = Object.groupBy(tasks, (task) => loginNeed(deps.config, task))
  const link = ({ key, declaration }: CatalogueTask) =>
    html`<a href="${own}/tasks/${key}">${declaration.title}</a>`
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
