/** The URLs of a page's owner that are safe on a public page. */
import { webUrl } from "../../../schema/UrlText.ts"

/** An http or https URL, safe in a link; null for anything else, such as `javascript:`. */
export const linkUrl = (url: string | null | undefined): string | null => webUrl(url ?? "")?.href ?? null

/** The same for images, which may also be data URLs: `data:image/…`. */
export const imageUrl = (url: string | null | undefined): string | null =>
  url !== null && url !== undefined && /^data:image\/[a-z+.-]+[;,]/i.test(url) ? url : linkUrl(url)
