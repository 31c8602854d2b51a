/**
 * Runs with given items, and their pages as a person sees them.
 *
 * @module
 */
import { type House, startHouse, to, type Visitor } from '../../house.ts'

export type ItemsHouse = Awaited<ReturnType<typeof startItemsHouse>>

export async function startItemsHouse(options: Parameters<typeof startHouse>[0] = {}) {
  const house: House = await startHouse(options)
  const ann: Visitor = await house.setUp()

  /** Starts a run. @returns the path of its page */
  async function start(who = ann): Promise<string> {
    return to(await who.post(`${house.own}/tasks/sample.search`, { 'in.query': 'otter', by: 'form' }))
  }
  return {
    house,
    ann,
    start,
    /** A run that ended with these items. @returns the path of its page */
    async run(items: readonly object[], rest: object = {}): Promise<string> {
      const path = await start()
      await house.service.finish(path.split('/').at(-1)!, { items, rest } as never)
      return path
    },
    close: () => house.close(),
  }
}

/** The words of a page. */
export const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

/** The labels of the table's columns. */
export const columnsOf = (page: string): string[] =>
  [...page.matchAll(/<th scope="col" title="([^"]*)"/g)].map(([, name]) => name!)

/** The numbers of the table's rows. */
export const rowsOf = (page: string): number[] =>
  [...page.matchAll(/<tr id="item-(\d+)"/g)].map(([, number]) => Number(number))
