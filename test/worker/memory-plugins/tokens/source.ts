/** A source whose list needs a token of its front page, for tests of what runs share. */
import {
  at,
  defineSource,
  defineTask,
  Nullable,
  routes,
  SourceChanged,
  Type,
  textOrNull,
} from 'gleaner/plugin'

const list = defineTask({
  key: 'tokens.list',
  path: '/v1/tokens/list',
  title: 'List',
  description: 'What the site answers to a token.',
  price: 1,
  input: Type.Object({}),
  item: Type.Object({ token: Nullable(Type.String()), credential: Nullable(Type.String()) }),
  example: {},
  async *run(context) {
    const read = routes(context, [
      {
        name: 'old',
        read: async () => (await context.fetch('/old', { errors: { 404: SourceChanged } })).json(),
      },
      {
        name: 'list',
        async read() {
          const token = await context.memory.once('token', async () => {
            const home = await context.fetch('/')
            return { value: textOrNull(at(await home.json(), 'token')), seconds: 600 }
          })
          return (await context.fetch('/list', { headers: { 'x-token': token ?? '' } })).json()
        },
      },
    ])
    yield { token: textOrNull(at(await read(), 'token')), credential: context.credentials?.KEY ?? null }
    context.note({ skipped: 2 })
    return {}
  },
})

export default defineSource({
  name: 'tokens',
  title: 'Tokens',
  origin: 'https://www.tokens.example',
  credentials: ['KEY'],
  tasks: [list],
})
