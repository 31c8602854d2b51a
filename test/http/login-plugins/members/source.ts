/**
 * A source that one signs in at, for tests of logins: one task needs it, one may do without.
 *
 * @module
 */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

const input = Type.Object({ query: Type.String({ minLength: 1 }) })
const item = Type.Object({ title: Type.String() })

const taskOf = (what: string, login: true | 'optional') =>
  defineTask({
    key: `members.${what}`,
    path: `/v1/members/${what}`,
    title: what,
    description: 'Needs a login, or may use one.',
    price: 5,
    input,
    item,
    example: { query: 'otter' },
    needs: { login },
    async *run() {
      yield { title: 'otter' }
      return {}
    },
  })

export default defineSource({
  name: 'members',
  title: 'Members',
  origin: 'https://members.example',
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  tasks: [taskOf('search', true), taskOf('profile', 'optional')],
})
