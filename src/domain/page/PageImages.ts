/**
 * Which images a page shows: those that were uploaded to the service, or those of its owner elsewhere, never both. An image elsewhere
 * may redirect to the service, and after a redirect a policy allows every path of an origin that it names.
 */
import type { Branding } from "../../../schema/page/Page.ts"
import { imagesPath, readImageUrl } from "../image/ImageName.ts"
import { linkUrl } from "./PublicUrl.ts"

const images = ["logoUrl", "logoDarkUrl", "faviconUrl"] as const

const isUploaded = (url: string | null | undefined, service: string): boolean =>
  url !== null && url !== undefined && readImageUrl(url, service) !== null

const hasUploaded = (branding: Branding, service: string): boolean => images.some((image) => isUploaded(branding[image], service))

/** With an uploaded image, without those elsewhere. */
export const shownBranding = (branding: Branding, service: string): Branding => {
  if (!hasUploaded(branding, service)) return branding
  const kept = (url: string | null | undefined) => linkUrl(url) === null || isUploaded(url, service) ? url ?? null : null
  const { faviconUrl, logoDarkUrl, logoUrl } = branding
  return { ...branding, logoUrl: kept(logoUrl), logoDarkUrl: kept(logoDarkUrl), faviconUrl: kept(faviconUrl) }
}

/** Whether a page shows uploaded images in its texts: unless its owner's images are elsewhere. */
export const showsUploads = (branding: Branding, service: string): boolean =>
  images.every((image) => linkUrl(branding[image]) === null || isUploaded(branding[image], service))

/** The only source of a policy for uploaded images; none if the page shows none. Nothing below it redirects. */
export const uploadSources = (
  branding: Branding,
  service: string,
  texts: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const source = `${service}${imagesPath}`
  const isUsed = hasUploaded(branding, service) || texts.some((text) => text.includes(source))
  return isUsed && showsUploads(branding, service) ? [source] : []
}
