/** The base address of Twilio's API, which settings read without the code that calls it. */
export const publicTwilio = "https://api.twilio.com"
