/**
 * A source with a login, for tests: one task requires the login, and for the other it is optional.
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
