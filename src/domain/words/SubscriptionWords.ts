/** The texts of subscriptions in each language of status pages. */
import type { Language } from "../../../schema/page/Page.ts"
import { de } from "./subscription/de.ts"
import { el } from "./subscription/el.ts"
import { en } from "./subscription/en.ts"
import { es } from "./subscription/es.ts"
import { fr } from "./subscription/fr.ts"
import { it } from "./subscription/it.ts"
import { ja } from "./subscription/ja.ts"
import { nl } from "./subscription/nl.ts"
import { pl } from "./subscription/pl.ts"
import { pt } from "./subscription/pt.ts"
import type { SubscriptionTexts } from "./subscription/SubscriptionTexts.ts"
import { tr } from "./subscription/tr.ts"

export type SubscriptionWords = SubscriptionTexts

const all: Record<Language, SubscriptionWords> = { en, de, fr, es, it, pt, nl, el, pl, tr, ja }

export const subscriptionWords = (language: Language): SubscriptionWords => all[language]
