/**
 * The icons of the console: symbols of one sprite, drawn in the colour of the text beside them.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { assetPath } from '../assets.ts'

/** A symbol of assets/icons.svg. */
export type Icon =
  | 'home'
  | 'tasks'
  | 'runs'
  | 'keys'
  | 'credits'
  | 'logins'
  | 'webhooks'
  | 'members'
  | 'settings'
  | 'accounts'
  | 'people'
  | 'sources'
  | 'docs'
  | 'search'
  | 'copy'
  | 'check'
  | 'cross'
  | 'warning'
  | 'clock'
  | 'download'
  | 'out'
  | 'up'
  | 'down'
  | 'filter'
  | 'images'
  | 'again'
  | 'system'
  | 'status'

/** An icon beside a text, which says the same: screen readers skip the icon. @param base of the visitor */
export const icon = (base: string, name: Icon): Html =>
  html`<svg class="icon" aria-hidden="true"><use href="${sprite(base)}#${name}"/></svg>`

/** The name of the product, drawn. Its surroundings say the name to screen readers. */
export const wordMark = (base: string): Html =>
  html`<svg class="mark" aria-hidden="true"><use href="${sprite(base)}#mark"/></svg><svg class="wordmark" aria-hidden="true"><use href="${sprite(base)}#wordmark"/></svg>`

const sprite = (base: string): string => `${base}/console/assets/${assetPath('icons.svg')}`
