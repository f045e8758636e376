/** Signs in by a link as a browser does, and shows the dashboard. The cookie is empty if the link does not work. */
export const openedBy = async (link: string) => {
  const { origin } = new URL(link)
  const signedIn = await fetch(link, { method: "POST", redirect: "manual", headers: { origin, "sec-fetch-site": "same-origin" } })
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ")
  const shown = await fetch(`${origin}/app`, { headers: { cookie }, redirect: "manual" })
  return { cookie, text: await shown.text() }
}

/** The link of the banner that signs in once. */
export const linkOf = (banner: string): string => /http\S+\/auth\/link\/\S+/.exec(banner)?.[0] ?? "no link"
