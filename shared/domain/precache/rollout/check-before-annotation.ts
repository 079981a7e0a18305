/**
 * On a ClusterGroupUpgrade or on its PreCachingConfig, the former wins: how long before an opening clusters that have
 * succeeded are checked, and pre-cached again when images are missing. In a file of its own, since functions that only
 * watch for it need no calendar.
 */
export const checkBeforeAnnotation = "hubrelay.dev/check-before";
