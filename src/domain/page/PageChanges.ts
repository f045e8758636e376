/** The differences between a page and another state of it, as an update that leads from one to the other. */
import type { PageUpdate } from "../../../schema/page/Page.ts"
import { type Fields, sameValue } from "../plan/FieldChanges.ts"
import { withSeoDefaults } from "./PageDefaults.ts"
import type { PageFields } from "./PageEdit.ts"

/** The parts with a value for each choice that an edit can take back. */
const whole = ({ branding, seo, settings, theme }: PageFields) => ({
  theme: { mode: null, accent: null, fontSans: null, fontMono: null, ...theme },
  branding: { ...branding },
  settings: { ...settings },
  seo: withSeoDefaults(seo)
})

const changed = <A extends Fields>(from: A, to: A): Partial<A> => {
  const kept: Partial<A> = { ...to }
  for (const name in to) if (sameValue(to[name], from[name] ?? null)) delete kept[name]
  return kept
}

/** Only the differences, so that choices that nobody made keep following their defaults. */
export const pageChanges = (from: PageFields, to: PageFields): PageUpdate => {
  const [before, after] = [whole(from), whole(to)]
  const parts = {
    theme: changed(before.theme, after.theme),
    branding: changed(before.branding, after.branding),
    settings: changed(before.settings, after.settings),
    seo: changed(before.seo, after.seo)
  }
  return {
    ...(from.name === to.name ? {} : { name: to.name }),
    ...(from.slug === to.slug ? {} : { slug: to.slug }),
    ...(from.description === to.description ? {} : { description: to.description ?? "" }),
    ...(from.customDomain === to.customDomain ? {} : { customDomain: to.customDomain }),
    ...(from.visibility === to.visibility ? {} : { visibility: to.visibility }),
    ...(Object.keys(parts.theme).length === 0 ? {} : { theme: parts.theme }),
    ...(Object.keys(parts.branding).length === 0 ? {} : { branding: parts.branding }),
    ...(Object.keys(parts.settings).length === 0 ? {} : { settings: parts.settings }),
    ...(Object.keys(parts.seo).length === 0 ? {} : { seo: parts.seo })
  }
}
