/**
 * The texts that a demo prints: the user of its sites, and a call for each task.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { pathParams } from '../../src/plugin/task.ts'
import { type CassetteFile, needsLogin } from '../mock-sites/cassettes.ts'
import type { User } from '../mock-sites/sign-in/users.ts'

/**
 * @param url of the service
 * @param person the user of the console
 */
export const introduction = (
  url: string,
  key: string,
  { email, password }: { readonly email: string; readonly password: string },
): string => `
Above: a call for each task. Paste this into another terminal first:

export GLEANER_URL=${url}
export GLEANER_API_KEY=${key}

This is a demo with sample data. Ctrl-C stops it and deletes its data. Its sites answer the names that you ask for;
names that begin with "nobody" or "xyzzy" are unknown to them.

The console is at ${url}/console

  E-mail:    ${email}
  Password:  ${password}
`

/**
 * Explains how to sign in to the sites of tasks that use a login.
 *
 * @param origins of the mock sites that have a sign-in, by source name
 * @param hasBrowser whether a browser is available to show the sites
 */
export function signInHelp(
  { name, password, code }: User,
  origins: ReadonlyMap<string, string>,
  hasBrowser: boolean,
): string {
  if (origins.size === 0) return ''
  const sites = [...origins.keys()].join(', ')
  if (!hasBrowser) return `\nSigning in is not possible here (${sites}): ${NO_BROWSER}\n`
  return `
Some sites require signing in, or show more to members (${sites}). A task that needs a login answers 428
until you have signed in: open the hosted_url of the answer in a browser, sign in, and send the call again.

  User name: ${name}
  Password:  ${password}
  Code:      ${code}

To end the sessions of a site, as a site may do at any time:

${[...origins.values()].map((origin) => `  curl -s -X POST ${origin}/_mock/revoke`).join('\n')}
`
}

const NO_BROWSER = 'this needs Chromium, which was not found. Run gleaner doctor for details.'

/** The commands that call a task, signed out and signed in, or why it cannot be called here. */
export function callsOf(
  { key, declaration: task, source }: CatalogueTask,
  cassettes: readonly CassetteFile[],
  hasBrowser: boolean,
): string {
  const own = cassettes.filter(({ cassette }) => cassette.task === key)
  const title = `# ${task.title} (${key})\n`
  if (own.length === 0) return `${title}# No sample data: its source needs a cassette in fixtures/.\n`
  const needsBrowser = task.needs?.browser || task.needs?.login === true
  const hint = needsBrowser && !hasBrowser ? `# ${NO_BROWSER}\n` : ''
  if (task.needs?.login === true)
    return `${title}${hint}# Needs a login: the first answer is 428, with a hosted_url to sign in at.\n${curlOf(task, own[0]!)}`
  const visitor = own.find((one) => !needsLogin(one))
  const member = own.find(needsLogin)
  const signedOut = visitor ? curlOf(task, visitor) : ''
  const signedIn = member
    ? `# Signed in, it returns more. The first call answers with a hosted_url to sign in at:\n${loginOf(source.name)}${curlOf(task, member)}`
    : ''
  return title + hint + signedOut + signedIn
}

const AUTHORIZED = '-H "Authorization: Bearer $GLEANER_API_KEY"'

const loginOf = (source: string): string =>
  `curl -s -X POST "$GLEANER_URL/v1/logins/${source}" ${AUTHORIZED}\n`

function curlOf(task: CatalogueTask['declaration'], { cassette: { input } }: CassetteFile): string {
  const { path, body } = requestOf(task, input)
  const data = JSON.stringify({ ...body, _run: { async: false } }).replaceAll("'", `'\\''`)
  return `curl -s "$GLEANER_URL${path}" ${AUTHORIZED} -H 'Content-Type: application/json' -d '${data}'\n`
}

/** The path and body of a call with an input; fields that are path parameters are in the path. */
export function requestOf(
  { path }: CatalogueTask['declaration'],
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly body: Readonly<Record<string, unknown>> } {
  const inPath = pathParams(path)
  return {
    path: path.replace(/:([A-Za-z0-9_]+)/g, (_, name) => encodeURIComponent(String(input[name]))),
    body: Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name))),
  }
}
