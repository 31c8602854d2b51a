/**
 * An account as a page shows it.
 *
 * @module
 */
import { linkOrNull, reader, textOrNull } from 'gleaner/plugin'
import { shownText } from './rendered-text.ts'
import { User } from './user.ts'

const { id, screen_name } = User.properties
const emptyUser = reader(User, { id, screen_name })

/**
 * Reads a cell of the People tab: what it does not show is null.
 *
 * @returns null for a cell that does not tell whose it is
 */
export function renderedUser(cell: Element): User | null {
  const id = followedId(cell)
  const screen_name = nameIn(cell)
  if (id === null || screen_name === null) return null
  return {
    ...emptyUser({ rest_id: id, core: { screen_name } }),
    name: shownText(linkTo(cell, screen_name, (text) => !text.startsWith('@'))),
    description: descriptionOf(cell),
    verified: isVerified(cell),
    profile_image_url: avatarOf(cell),
  }
}

/** A badge says that an account is verified, not as what. */
export const isVerified = (element: Element): boolean =>
  element.querySelector('[data-testid="icon-verified"]') !== null

/** The picture of the first account in an element. */
export const avatarOf = (element: Element): string | null =>
  linkOrNull(element.querySelector('[data-testid^="UserAvatar-Container"] img')?.getAttribute('src'))

/** The button to follow an account has its id. */
function followedId(cell: Element): string | null {
  for (const element of cell.querySelectorAll('[data-testid]')) {
    const [, id] =
      /^(\d+)-(?:(?:un)?(?:follow|block)|cancel)/.exec(element.getAttribute('data-testid') ?? '') ?? []
    if (id !== undefined) return id
  }
  return null
}

/** The name in the first link that shows one. */
export function nameIn(element: Element): string | null {
  for (const link of element.querySelectorAll('a')) {
    const [, name] = /^@(\w+)$/.exec((link.textContent ?? '').trim()) ?? []
    if (name !== undefined) return name
  }
  return null
}

/** The first link to a profile whose text is not empty and as wanted. */
export function linkTo(element: Element, name: string, isWanted: (text: string) => boolean): Element | null {
  const links = [...element.querySelectorAll('a')].filter((link) => link.getAttribute('href') === `/${name}`)
  return links.find((link) => isWanted(textOrNull(shownText(link)) ?? '@')) ?? null
}

/** The text below the names, which is in no link or button of its own. */
function descriptionOf(cell: Element): string | null {
  const texts = [...cell.querySelectorAll('[dir="auto"]')].filter(
    // What is said of a button to those who can't see it has an id.
    (text) => !text.getAttribute('id') && !text.closest('a, [role="button"] [role="button"], button'),
  )
  return shownText(texts.at(-1))
}
