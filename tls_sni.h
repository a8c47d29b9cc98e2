/*
 * tls_sni.h: the server name of a TLS ClientHello. Pure.
 */
#ifndef SRUN_TLS_SNI_H
#define SRUN_TLS_SNI_H

#include <stddef.h>

#define TLS_SNI_MAX    255
#define TLS_HELLO_MAX  32768 /* bytes of records that may hold the ClientHello */
#define TLS_ALERT_LEN  7
#define TLS_FIRST_BYTE 0x16 /* a record of the handshake */

enum tls_sni {
	TLS_SNI_MORE,
	TLS_SNI_NAME,    /* name is set */
	TLS_SNI_NONE,    /* a ClientHello without a server name */
	TLS_SNI_NOT_TLS, /* other bytes */
	TLS_SNI_BAD,     /* begins as TLS, but is no good ClientHello, or is too long */
};

/*
 * The first bytes of a connection, from its beginning, as many as there are. The hello may
 * be split over records in any way. A name with a byte that no host name has is BAD.
 */
enum tls_sni tls_sni_read(
    const unsigned char *data, size_t len, char name[TLS_SNI_MAX + 1]);

/* A fatal alert "access denied". */
extern const unsigned char tls_alert_denied[TLS_ALERT_LEN];

#endif
