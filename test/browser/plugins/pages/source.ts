/**
 * Tasks that need a browser, for the tests of pages in the worker.
 *
 * @module
 */
import { type Context, defineSource, defineTask, Nullable, Type } from 'gleaner/plugin'

const input = Type.Object({
  path: Type.Optional(Type.String({ default: '/' })),
  expression: Type.Optional(Type.String({ default: 'document.title' })),
})
type Input = { readonly path: string; readonly expression: string }

function task(name: string, run: (context: Context, input: Input) => AsyncGenerator<unknown, void, void>) {
  return defineTask({
    key: `pages.${name}`,
    path: `/v1/pages/${name}`,
    title: name,
    description: name,
    price: 1,
    input,
    item: Type.Object({ value: Nullable(Type.Unknown()) }),
    example: {},
    needs: { browser: true },
    run: run as never,
  })
}

/** How many runs of `share` in this process have a page. */
let open = 0

export default defineSource({
  name: 'pages',
  title: 'Pages',
  origin: 'https://www.pages.example',
  assetHosts: ['*.cdn.example'],
  interstitials: [{ url: /\/interstitial/i, ends: 'source-blocked' }],
  pace: { perSecond: 1000, concurrent: 100 },
  tasks: [
    /** Yields the value of an expression. */
    task('read', async function* (context, { path, expression }) {
      const page = await context.page()
      await page.goto(path, { until: 'commit' })
      await page.wait('#box')
      yield { value: await page.evaluate(expression) }
    }),
    /** Yields the responses that the page receives before it has loaded. */
    task('answers', async function* (context, { path }) {
      const page = await context.page()
      const answers = page.answers(/\/api\//i)
      await page.goto(path, { until: 'commit' })
      const reply = await answers.next()
      yield { value: reply && [reply.status, reply.headers.get('x-page'), await reply.text()] }
      yield { value: await answers.next({ timeoutS: 0.05 }) }
    }),
    /** Makes each call in turn. */
    task('drive', async function* (context, { path }) {
      const page = await context.page({ load: ['images'] })
      // The page's last script is held back.
      const options = { query: { a: 'b c', none: undefined }, until: 'commit', timeoutS: 20 } as const
      yield { value: await page.goto(path, options) }
      yield { value: await page.wait('#box') }
      yield { value: await page.wait('#never', { timeoutS: 0.05 }) }
      await page.fill('input', 'two words')
      await page.press('Enter')
      yield { value: await page.evaluate('entered') }
      yield { value: await page.click('button') }
      yield { value: await page.evaluate('clicked') }
      yield { value: await page.scroll({ selector: '#box', by: 300 }) }
      yield { value: await page.wait('#low') }
      yield { value: await page.scroll({ selector: '#never' }) }
      yield { value: (await page.html()).slice(0, 15) }
      yield { value: await page.url() }
      const other = await context.page()
      yield { value: await page.url().catch((error: Error) => error.message) }
      await other.goto(path, { until: 'commit' })
      await other.wait('#box')
      yield { value: await other.evaluate('document.title') }
    }),
    /** Reports that its page is open, and waits for an element that never comes. */
    task('wait', async function* (context, { path }) {
      const page = await context.page()
      await page.goto(path, { until: 'commit' })
      yield { value: 'open' }
      yield { value: await page.wait('#never', { timeoutS: 600 }) }
    }),
    /** Reports that it has begun, gets a page and yields how many runs of its process have one; `/held`: keeps it. */
    task('share', async function* (context, { path }) {
      context.progress(1)
      const page = await context.page()
      open++
      try {
        await page.goto(path, { until: 'commit' })
        if (path === '/held') await page.wait('#never', { timeoutS: 600 })
        yield { value: open }
      } finally {
        open--
      }
    }),
    /** Ends while its page is still open. */
    task('leave', async function* (context, { path }) {
      const page = await context.page()
      void page.goto(path, { until: 'commit' }).catch(() => {})
      yield { value: 'left' }
    }),
  ],
})
