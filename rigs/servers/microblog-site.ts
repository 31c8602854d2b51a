/**
 * The mock microblog, behind its sign-in, for tests.
 *
 * @module
 */
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { cassettesOf } from '../../tools/mock-sites/cassettes.ts'
import type { User } from '../../tools/mock-sites/sign-in/users.ts'
import { type SignInSite, startSignInSite } from './sign-in-site.ts'

/** A search that the site can answer. */
export const SEARCH = { query: 'lamps', tab: 'latest', max_posts: 30 }

/** Starts the site on a free port. @param users the accounts that can sign in */
export async function startMicroblogSite(users: readonly User[]): Promise<SignInSite> {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const own = cassettesOf(catalogue).filter(({ task }) => task.source.name === 'microblog')
  const exchanges = own.flatMap(({ cassette }) => cassette.exchanges)
  return startSignInSite({ source: own[0]!.task.source, users, exchanges })
}
