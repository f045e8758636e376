/** The cookie of a visitor who gave the password of a private page. */
import { hostCookie } from "../guard/SessionCookie.ts"

/** `url` is the page's own address, where the cookie is set. */
export const pageGrantCookie = (url: string, pageId: string): string => hostCookie(url, `belltower_${pageId}`)
