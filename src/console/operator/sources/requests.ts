/**
 * What holds for the requests to a source: logins, credentials, limits, hosts.
 *
 * @module
 */
import { DIRECT, wayOf } from '../../../config.ts'
import { type Html, html } from '../../../html.ts'
import type { LimitsOfHosts } from '../../../net/pace.ts'
import type { Source } from '../../../plugin.ts'
import { count, counted, type Row, table } from '../../components/parts.ts'
import type { Visitor } from '../../visitor.ts'

/** Facts: the way out, whether people can sign in, whether the operator's credentials are set. No value is shown. */
export function access(
  { deps, base }: Visitor,
  { name, login, credentials = [] }: Source,
): [string, Html | string][] {
  const settings = credentials.map((each) => `SOURCE_${name.toUpperCase()}_${each}`)
  const areSet = settings.every((setting) => deps.config.sourceSettings.has(setting))
  const listed = html`<span class="hint">${settings.map((setting, i) => html`${i > 0 && ', '}<code>${setting}</code>`)}</span>`
  const way = wayOf(deps.config, name)?.name ?? DIRECT
  return [
    ['Way out', html`<a href="${base}/console/operator/exits"><code>${way}</code></a>`],
    ['Login', login ? 'People can sign in' : 'None'],
    [
      'Your credentials',
      settings.length === 0 ? 'None needed' : html`${areSet ? 'Set' : 'Not set'}: ${listed}`,
    ],
  ]
}

/** The limits of each host. */
export const limitTable = (limits: readonly LimitsOfHosts[]): Html =>
  table(
    'Limits of requests',
    ['Host', 'Requests', { label: 'At once', number: true }],
    limits.map(
      ({ host, isTogether, windows, concurrent }): Row => [
        host ? html`<code>${host}</code>` : othersText(isTogether, limits.length > 1),
        windows.map(({ most, lengthMs }) => windowText(most, lengthMs)).join(', '),
        count(concurrent),
      ],
    ),
  )

const othersText = (isTogether: boolean, areOthers: boolean): string =>
  isTogether ? `All ${areOthers ? 'other ' : ''}hosts together` : `Each ${areOthers ? 'other ' : ''}host`

/** `5 in 1 second`, `20 in 25 seconds`. */
function windowText(most: number, lengthMs: number): string {
  const seconds = Math.round(lengthMs / 100) / 10
  return `${count(most)} in ${counted(seconds, 'second')}`
}

/** The hosts that requests may go to. */
export function hostList({ origin, hosts = [], assetHosts = [], imageHosts = [] }: Source): Html {
  const groups: [string, readonly string[]][] = [
    ['Requests', [...new Set([new URL(origin).host, ...hosts])]],
    ['Scripts and styles of pages', assetHosts],
    ['Images of items', imageHosts],
  ]
  return table(
    'Hosts',
    ['For', 'Hosts'],
    groups.flatMap(([label, names]) =>
      names.length > 0
        ? [[label, html`${names.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}`]]
        : [],
    ),
  )
}
