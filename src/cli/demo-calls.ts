/**
 * What a demo prints: who may sign in at its sites, and a call for each task.
 *
 * @module
 */
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { pathParams } from '../plugin/task.ts'
import { type Filed, needsLogin } from '../standin/cassettes.ts'
import type { User } from '../standin/sign-in/users.ts'

/** @param url of the service */
export const beginning = (url: string, key: string): string => `
This is a demo: all that it answers is made up. Ctrl-C ends it, and its data go with it.

In another terminal:

export URL=${url}
export KEY=${key}
`

/**
 * How one signs in, where tasks use a login.
 *
 * @param origins of the made-up sites that have a sign-in, by the names of their sources
 * @param hasBrowser whether there is a browser in which the sites can be shown
 */
export function signingIn(
  { name, password, code }: User,
  origins: ReadonlyMap<string, string>,
  hasBrowser: boolean,
): string {
  if (origins.size === 0) return ''
  const sites = [...origins.keys()].join(', ')
  if (!hasBrowser) return `\nNobody can sign in (${sites}): ${NO_BROWSER}\n`
  return `
Some sites are for members, or show them more (${sites}). A task that needs a login answers 428 until somebody has
signed in: open the hosted_url of the answer in a browser, sign in there, and send the call again.

  User name: ${name}
  Password:  ${password}
  Code:      ${code}

A site may end its sessions. The next run then fails with source-login-required; after that a call that needs a login
answers 428 again, and one that can do without runs signed out. These end them:

${[...origins.values()].map((origin) => `  curl -s -X POST ${origin}/_standin/revoke`).join('\n')}
`
}

const NO_BROWSER = 'that needs Chromium, which is not here: gleaner doctor says more.'

/** What a person types to call a task, signed out and signed in, or why it can't be called here. */
export function callsOf(
  { key, task, source }: CatalogueTask,
  cassettes: readonly Filed[],
  hasBrowser: boolean,
): string {
  const own = cassettes.filter(({ cassette }) => cassette.task === key)
  const title = `\n# ${task.title} (${key})\n`
  if (own.length === 0)
    return `${title}# its source has nothing made up: plugins need a cassette in fixtures/ for that\n`
  const needsBrowser = task.needs?.browser || task.needs?.login === true
  const hint = needsBrowser && !hasBrowser ? `# ${NO_BROWSER}\n` : ''
  if (task.needs?.login === true)
    return `${title}${hint}# It needs a login: the first answer is 428, with a hosted_url to sign in at.\n${curlOf(task, own[0]!)}`
  const visitor = own.find((one) => !needsLogin(one))
  const member = own.find(needsLogin)
  return (
    title +
    hint +
    (visitor ? curlOf(task, visitor) : '') +
    (member
      ? `# Signed in it reads more. The first of these answers with a hosted_url to sign in at:\n`
      : '') +
    (member ? `${loginOf(source.name)}${curlOf(task, member)}` : '')
  )
}

const AUTHORIZED = '-H "Authorization: Bearer $KEY"'

const loginOf = (source: string): string => `curl -s -X POST "$URL/v1/logins/${source}" ${AUTHORIZED}\n`

function curlOf(task: CatalogueTask['task'], { cassette: { input } }: Filed): string {
  const { path, body } = requestOf(task, input)
  const data = JSON.stringify({ ...body, _run: { async: false } }).replaceAll("'", `'\\''`)
  return `curl -s "$URL${path}" ${AUTHORIZED} -H 'Content-Type: application/json' -d '${data}'\n`
}

/** The call of a task with an input, the fields of the path in it. */
export function requestOf(
  { path }: CatalogueTask['task'],
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly body: Readonly<Record<string, unknown>> } {
  const inPath = pathParams(path)
  return {
    path: path.replace(/:([A-Za-z0-9_]+)/g, (_, name) => encodeURIComponent(String(input[name]))),
    body: Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name))),
  }
}
