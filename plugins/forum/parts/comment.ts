/**
 * A comment in a profile.
 *
 * @module
 */
import { integerOrNull, reader, textOrNull, timeOf } from 'gleaner/plugin'
import { Comment } from '../json/comment.ts'
import { identityOf, permalinkOf } from '../json/values.ts'
import { fullnameOf } from './post.ts'
import { labelOf, markdownIn } from './text.ts'

/** Reads a comment that has only a fullname. */
const unseen = reader(Comment, identityOf('t1'))

/** @param owner of the profile, as the client writes it. @throws {SourceChanged} when the comment has no fullname */
export function commentOfElement(element: Element, owner: string, origin: string): Comment {
  const first = (selector: string, name: string) =>
    textOrNull(element.querySelector(selector)?.getAttribute(name))
  const href = textOrNull(element.getAttribute('href'))?.replace(/[?#].*$/s, '') ?? null
  const [, post = null] = /\/comments\/([a-z0-9]+)/.exec(href ?? '') ?? []
  const label = first('a[aria-label*="comment on"]', 'aria-label')
  const [, title = null] = /comment on (.+)$/s.exec(label ?? '') ?? []
  const thread = post === null ? null : element.querySelector(`a[href*="/comments/${post}/"]`)
  return {
    ...unseen({ name: fullnameOf('t1', element.getAttribute('comment-id')) }),
    author: ownerIn(element, owner),
    body: markdownIn(element),
    score: integerOrNull(first('shreddit-comment-action-row[comment-id]', 'score')),
    created_at: timeOf(first('faceplate-timeago', 'ts')) ?? timeOf(first('time', 'datetime')),
    permalink: permalinkOf(href, origin),
    post_id: post === null ? null : `t3_${post}`,
    post_title: title ?? labelOf(thread),
    // The address of some profiles' comments is below the owner, whichever community they are in.
    community: communityIn(href) ?? communityIn(first('a[href^="/r/"]', 'href')),
  }
}

const communityIn = (path: string | null): string | null => /^\/r\/([^/?#]+)/.exec(path ?? '')?.[1] ?? null

/** The owner's name as the owner writes it. */
function ownerIn(element: Element, owner: string): string {
  for (const link of element.querySelectorAll('a[href^="/user/"]')) {
    const name = link.getAttribute('href')?.split('/')[2]
    if (name?.toLowerCase() === owner.toLowerCase()) return name
  }
  return owner
}
