/** Which addresses of an owner may stand in a page that everyone opens. */

/** An http or https address, as it may stand in a link; null for anything else, such as `javascript:`. */
export const linkUrl = (url: string | null | undefined): string | null => {
  if (url === null || url === undefined || !URL.canParse(url)) return null
  const { href, protocol } = new URL(url)
  return protocol === "https:" || protocol === "http:" ? href : null
}

/** The same for pictures, which may also be carried within: `data:image/…`. */
export const imageUrl = (url: string | null | undefined): string | null =>
  url !== null && url !== undefined && /^data:image\/[a-z+.-]+[;,]/i.test(url) ? url : linkUrl(url)
