/**
 * Every field of every task that takes an address of its source, with invalid addresses: each is refused at its field
 * before anything is charged or requested.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { inputIssues } from '../../src/catalogue/input.ts'
import type { Task } from '../../src/plugin.ts'
import { readSources } from './evidence.ts'

/** Fields that accept an address, some of them also a name. */
const FIELD = /^(?:(?:[a-z]+_)?url|domain|profile|community)$/

const fields = (await readSources()).flatMap(({ source }) =>
  source.tasks.flatMap((task) =>
    Object.keys(task.input.properties)
      .filter((name) => FIELD.test(name))
      .map((name) => ({ name: `${task.key}: ${name}`, source, task, field: name })),
  ),
)

/** Addresses for a source whose host is `host` and whose domain is `domain`. */
const addresses = (host: string, domain: string): readonly string[] => [
  'https://example.org/',
  `https://${host}.evil.example/`,
  `https://evil${domain}/`,
  `https://${domain}.evil.example/name/`,
  `https://evil.example/${host}/`,
  `https://evil.example/?${host}`,
  `https://evil.example#${host}`,
  `https://evil.example\\@${host}/name`,
  `https://${host.replace(/[aeo]/, (letter) => ({ a: '\u0430', e: '\u0435', o: '\u043e' })[letter]!)}/name`,
  `https://user:password@${host}/name`,
  `https://${host}@evil.example/name`,
  `https://${host}:8443/name`,
  `https://${host}:0/name`,
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0x7f.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://localhost/',
  'http://localhost.localdomain:3000/admin/list-keys',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,hello',
  `ftp://${host}/name`,
  `javascript://${host}/%0aalert(1)`,
  '//evil.example/name',
  'https://',
  'https://[',
]

test('some tasks have fields for addresses', () => {
  expect(fields.length).toBeGreaterThan(0)
})

describe.each(fields.map((one) => [one.name, one] as const))('%s refuses', (_, { source, task, field }) => {
  const host = new URL(source.origin).hostname
  test.each(addresses(host, host.replace(/^www\./, '')))('%s', (address) => {
    expect(refused(task, field, address)).toContain(`/${field}`)
  })
})

/** The pointers of the issues of an input with this field and the other required fields. */
function refused(task: Task, field: string, value: string): string[] {
  const others = Object.entries(task.example).filter(([name]) => task.input.required?.includes(name))
  return inputIssues(task, { ...Object.fromEntries(others), [field]: value }, Date.now()).map(
    ({ pointer }) => pointer,
  )
}
