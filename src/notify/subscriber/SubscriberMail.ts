/** The mails to subscribers of a status page: the one that asks for confirmation, and those with news. */
import type { Language } from "../../../schema/page/Page.ts"
import type { Tone } from "../../domain/alert/AlertMessage.ts"
import { namedIn, subscriptionWords } from "../../domain/page/Languages.ts"
import type { MailLook } from "../../domain/page/MailLook.ts"
import type { Content } from "../../domain/subscriber/BroadcastContent.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { inLine, inThread, layOut, type Mail, oneClick, plainLine } from "../mail/MailLayout.ts"

/**
 * Anyone who makes a page can have this mail sent to any address, so the page's name is reduced to one line without links, and of its
 * look the mail has the colours only: a logo could show anything.
 */
export const confirmationMail = (
  { choosesNews = false, language, link, look, pageName }: {
    readonly language: Language
    readonly link: string
    readonly pageName: string
    readonly choosesNews?: boolean
    readonly look?: MailLook | undefined
  }
): Mail => {
  const words = subscriptionWords(language)
  const title = words.confirmTitle(isolated(plainLine(pageName)))
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: [choosesNews ? words.confirmChosen : words.confirmText],
      action: { label: words.confirm, link },
      closing: [words.ignore],
      language,
      look: look === undefined ? undefined : { ...look, name: plainLine(pageName), logo: null, darkLogo: null }
    })
  }
}

export const newsMail = (
  { content: { page, told }, incidentId = null, language, look, manage, tone, unsubscribe }: {
    readonly language: Language
    readonly content: Content
    readonly incidentId?: string | null
    readonly tone: Tone
    /** Missing in what an older release composed. */
    readonly look?: MailLook | undefined
    readonly manage: string
    readonly unsubscribe: string
  }
): Mail => {
  const words = subscriptionWords(language)
  return {
    subject: inLine(namedIn(language, isolated(page.name), told.title), 200),
    ...layOut({
      title: told.title,
      tone,
      message: told.text,
      paragraphs: told.notes ?? [],
      action: { label: words.viewPage, link: told.link },
      closing: [words.why(isolated(plainLine(page.name))), { label: words.manage, link: manage }, {
        label: words.unsubscribe,
        link: unsubscribe
      }],
      language,
      look
    }),
    headers: { ...oneClick(unsubscribe), ...inThread(incidentId) }
  }
}
