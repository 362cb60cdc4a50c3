// SPDX-License-Identifier: Apache-2.0
#include "kube/self_signed.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace kube {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

constexpr long kTenYears = 10L * 365 * 24 * 3600;

void Check(bool good) {
  if (!good) throw std::runtime_error("a self-signed certificate cannot be made");
}

std::string TextOf(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

CertificatePair MakeSelfSigned(const std::string& name) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> certificate(X509_new());
  Check(key != nullptr && certificate != nullptr);
  unsigned char serial[8];
  Check(RAND_bytes(serial, sizeof serial) == 1);
  serial[0] &= 0x7F;
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(
      BN_bin2bn(serial, sizeof serial, nullptr), BN_free);
  Check(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get())) != nullptr);
  Check(X509_set_version(certificate.get(), 2) == 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kTenYears);
  Check(X509_set_pubkey(certificate.get(), key.get()) == 1);
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  Check(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                   0) == 1);
  Check(X509_set_issuer_name(certificate.get(), subject) == 1);
  const Owned<X509_EXTENSION> names(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("DNS:" + name).c_str()));
  Check(names != nullptr && X509_add_ext(certificate.get(), names.get(), -1) == 1);
  Check(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);

  const Owned<BIO> certificate_text(BIO_new(BIO_s_mem()));
  const Owned<BIO> key_text(BIO_new(BIO_s_mem()));
  Check(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  Check(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                 nullptr) == 1);
  return {TextOf(certificate_text.get()), TextOf(key_text.get())};
}

}  // namespace kube
