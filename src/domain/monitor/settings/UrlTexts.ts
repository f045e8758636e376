/** The spellings of a URL in texts: as given, normalized, and its host with and without the port. */

export const urlTexts = (url: string): ReadonlyArray<string> => {
  if (!URL.canParse(url)) return [url]
  const { host, hostname, href } = new URL(url)
  return [url, href, href.replace(/\/$/, ""), host, hostname]
}
