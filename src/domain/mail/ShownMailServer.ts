/** A mail server as its operator sees it: without the password. */
import type { MailServerSettings, ShownServer } from "../../../schema/mail/MailServer.ts"
import { mask } from "../../../schema/Mask.ts"

export const shownSettings = ({ password, ...server }: MailServerSettings): ShownServer => ({
  ...server,
  password: password === null ? null : mask
})

/** The server of an SMTP_URL; the ports are nodemailer's defaults. */
export const shownUrl = (url: string, from: string): ShownServer => {
  const { hostname, password, port, protocol, username } = new URL(url)
  const implicit = protocol === "smtps:"
  return {
    host: hostname,
    port: port === "" ? (implicit ? 465 : 587) : Number(port),
    tls: implicit ? "implicit" : "opportunistic",
    user: username === "" ? null : decodeURIComponent(username),
    password: password === "" ? null : mask,
    from
  }
}
