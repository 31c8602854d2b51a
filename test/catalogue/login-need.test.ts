/** A task needs a login exactly when it is of no use without one. */
import { expect, test } from 'bun:test'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type LoginNeed, loginNeed } from '../../src/catalogue/login-need.ts'

const BOTH = { SOURCE_FORUM_ID: 'x', SOURCE_FORUM_SECRET: 'y' }

test.each<[object | undefined, Record<string, string>, LoginNeed]>([
  [undefined, {}, 'none'],
  [{ browser: true }, {}, 'none'],
  [{ login: true }, BOTH, 'needed'],
  [{ login: 'optional' }, {}, 'optional'],
  [{ login: 'optional', visitors: false }, {}, 'needed'],
  // The operator's credentials serve it too.
  [{ login: 'optional', visitors: false }, BOTH, 'optional'],
])('%j with %j: %s', (needs, settings, need) => {
  const source = { name: 'forum', credentials: ['ID', 'SECRET'] }
  const task = { declaration: { needs }, source } as unknown as CatalogueTask
  expect(loginNeed({ sourceSettings: new Map(Object.entries(settings)) }, task)).toBe(need)
})
