/**
 * Reads an account from a rendered page.
 *
 * @module
 */
import { linkOrNull, reader, textOrNull } from 'gleaner/plugin'
import { User } from '../items/user.ts'
import { shownText } from './text.ts'

const { id, screen_name } = User.properties
const emptyUser = reader(User, { id, screen_name })

/**
 * Reads a cell of the People tab. Fields that it does not show are null.
 *
 * @returns null for a cell without the id or name of an account
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

/** Whether an account has a badge. The badge does not show the kind of verification. */
export const isVerified = (element: Element): boolean =>
  element.querySelector('[data-testid="icon-verified"]') !== null

/** The avatar of the first account in an element. */
export const avatarOf = (element: Element): string | null =>
  linkOrNull(element.querySelector('[data-testid^="UserAvatar-Container"] img')?.getAttribute('src'))

/** The account's id, from the button to follow it. */
function followedId(cell: Element): string | null {
  for (const element of cell.querySelectorAll('[data-testid]')) {
    const [, id] =
      /^(\d+)-(?:(?:un)?(?:follow|block)|cancel)/.exec(element.getAttribute('data-testid') ?? '') ?? []
    if (id !== undefined) return id
  }
  return null
}

/** The screen name in the first link whose text is one. */
export function nameIn(element: Element): string | null {
  for (const link of element.querySelectorAll('a')) {
    const [, name] = /^@(\w+)$/.exec((link.textContent ?? '').trim()) ?? []
    if (name !== undefined) return name
  }
  return null
}

/** The first link to a profile whose text is not empty and is accepted by `isWanted`. */
export function linkTo(element: Element, name: string, isWanted: (text: string) => boolean): Element | null {
  const links = [...element.querySelectorAll('a')].filter((link) => link.getAttribute('href') === `/${name}`)
  return links.find((link) => isWanted(textOrNull(shownText(link)) ?? '@')) ?? null
}

/** The text below the names, which is not inside a link or a nested button. */
function descriptionOf(cell: Element): string | null {
  const texts = [...cell.querySelectorAll('[dir="auto"]')].filter(
    // The description of a button for screen readers has an id.
    (text) => !text.getAttribute('id') && !text.closest('a, [role="button"] [role="button"], button'),
  )
  return shownText(texts.at(-1))
}
