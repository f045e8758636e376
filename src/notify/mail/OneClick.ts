/** The headers by which mail programs offer a button to unsubscribe (RFC 8058). */

/** `link` answers a POST without a question, and a GET with a page that asks. */
export const oneClick = (link: string) => ({
  "List-Unsubscribe": `<${link}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
})
