// Makes honest but unusual chains, and verifies chains of others.
//
//	go run main.go make FOLDER    writes NAME.root.pem and NAME.chain.pem (leaf first) for each chain
//	go run main.go verify FOLDER  prints NAME ok, or NAME and the reason, for each chain of the folder
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type node struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func keyOf(kind string) crypto.Signer {
	switch kind {
	case "p384":
		return must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	case "p521":
		return must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))
	case "rsa2048":
		return must(rsa.GenerateKey(rand.Reader, 2048))
	case "rsa3072":
		return must(rsa.GenerateKey(rand.Reader, 3072))
	case "ed25519":
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return must(key, err)
	default:
		return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	}
}

type change func(*x509.Certificate)

var serial int64 = 1000

func issue(by *node, key crypto.Signer, isAuthority bool, name string, changes ...change) *node {
	serial++
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(serial),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * 365 * time.Hour),
		BasicConstraintsValid: true,
		IsCA:                  isAuthority,
		KeyUsage:              x509.KeyUsageDigitalSignature,
	}
	if isAuthority {
		template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	} else {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	for _, apply := range changes {
		apply(template)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	der := must(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))
	return &node{must(x509.ParseCertificate(der)), key}
}

type honest struct {
	name  string
	root  *node
	chain []*node
}

// A root, an intermediate and a leaf, with changes to each.
func three(name string, kinds [3]string, root, middle, leaf []change) honest {
	top := issue(nil, keyOf(kinds[0]), true, "Go Root", root...)
	between := issue(top, keyOf(kinds[1]), true, "Go Intermediate", middle...)
	last := issue(between, keyOf(kinds[2]), false, "caller", leaf...)
	return honest{name, top, []*node{last, between}}
}

func none(changes ...change) []change { return changes }

func extension(oid asn1.ObjectIdentifier, critical bool, value any) change {
	return func(certificate *x509.Certificate) {
		certificate.ExtraExtensions = append(certificate.ExtraExtensions,
			pkix.Extension{Id: oid, Critical: critical, Value: must(asn1.Marshal(value))})
	}
}

func network(text string) *net.IPNet {
	_, found, err := net.ParseCIDR(text)
	return must(found, err)
}

func chains() []honest {
	p256 := [3]string{"p256", "p256", "p256"}
	policy := asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}
	all := []honest{
		three("go-plain", p256, nil, nil, nil),
		three("go-p384-root", [3]string{"p384", "p256", "p256"}, nil, nil, nil),
		three("go-p521-all", [3]string{"p521", "p521", "p521"}, nil, nil, nil),
		three("go-ed25519-all", [3]string{"ed25519", "ed25519", "ed25519"}, nil, nil, nil),
		three("go-rsa-all", [3]string{"rsa3072", "rsa2048", "rsa2048"}, nil, nil, nil),
		three("go-mixed", [3]string{"rsa2048", "p384", "ed25519"}, nil, nil, nil),
		three("go-pss", [3]string{"rsa2048", "rsa2048", "p256"}, nil,
			none(func(c *x509.Certificate) { c.SignatureAlgorithm = x509.SHA256WithRSAPSS }),
			none(func(c *x509.Certificate) { c.SignatureAlgorithm = x509.SHA512WithRSAPSS })),
		three("go-sha512", p256, nil, nil, none(func(c *x509.Certificate) { c.SignatureAlgorithm = x509.ECDSAWithSHA512 })),
		three("go-no-eku", p256, nil, nil, none(func(c *x509.Certificate) { c.ExtKeyUsage = nil })),
		three("go-any-eku", p256, nil, nil, none(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny} })),
		three("go-both-ekus", p256, nil, nil, none(func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
			c.UnknownExtKeyUsage = []asn1.ObjectIdentifier{{1, 2, 3, 4}}
		})),
		three("go-eku-on-ca", p256, nil, none(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }), nil),
		three("go-no-key-usage", p256, nil, none(func(c *x509.Certificate) { c.KeyUsage = 0 }), none(func(c *x509.Certificate) { c.KeyUsage = 0 })),
		three("go-many-key-usages", p256, nil, nil, none(func(c *x509.Certificate) {
			c.KeyUsage |= x509.KeyUsageKeyAgreement | x509.KeyUsageDataEncipherment | x509.KeyUsageContentCommitment
		})),
		three("go-path-length", p256, none(func(c *x509.Certificate) { c.MaxPathLen = 1 }), none(func(c *x509.Certificate) { c.MaxPathLenZero = true }), nil),
		three("go-permitted-dns", p256, nil, none(func(c *x509.Certificate) {
			c.PermittedDNSDomains = []string{"example.com"}
			c.PermittedDNSDomainsCritical = true
		}), none(func(c *x509.Certificate) { c.DNSNames = []string{"a.example.com", "example.com"} })),
		three("go-noncritical-constraints", p256, nil, none(func(c *x509.Certificate) { c.ExcludedDNSDomains = []string{"example.org"} }),
			none(func(c *x509.Certificate) { c.DNSNames = []string{"example.com"} })),
		three("go-permitted-email", p256, nil, none(func(c *x509.Certificate) { c.PermittedEmailAddresses = []string{"example.com", ".example.org"} }),
			none(func(c *x509.Certificate) { c.EmailAddresses = []string{"ada@example.com", "ada@mail.example.org"} })),
		three("go-permitted-ip", p256, nil, none(func(c *x509.Certificate) {
			c.PermittedIPRanges = []*net.IPNet{network("10.0.0.0/8"), network("2001:db8::/32")}
		}), none(func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.ParseIP("10.1.2.3"), net.ParseIP("2001:db8::1")} })),
		three("go-permitted-uri", p256, nil, none(func(c *x509.Certificate) { c.PermittedURIDomains = []string{".example.com"} }),
			none(func(c *x509.Certificate) { c.URIs = []*url.URL{must(url.Parse("spiffe://mesh.example.com/ns/a"))} })),
		three("go-many-names", p256, nil, nil, none(func(c *x509.Certificate) {
			for index := range 200 {
				c.DNSNames = append(c.DNSNames, fmt.Sprintf("host-%d.example.com", index))
			}
		})),
		three("go-long-subject", p256, nil, nil, none(func(c *x509.Certificate) {
			c.Subject = pkix.Name{CommonName: "caller", Organization: []string{"A", "B", "C"}, OrganizationalUnit: []string{"D", "E"}, Country: []string{"DE"}, Locality: []string{"Köln"}, SerialNumber: "42"}
		})),
		three("go-unicode", p256, none(func(c *x509.Certificate) { c.Subject.CommonName = "Würzburg 認証局" }), nil, none(func(c *x509.Certificate) { c.Subject.CommonName = "Zoë Ångström" })),
		three("go-unknown-extension", p256, nil, none(extension(asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 7}, false, "text")), none(extension(asn1.ObjectIdentifier{2, 25, 999999999}, false, 7))),
		three("go-policies", p256, nil, none(func(c *x509.Certificate) { c.PolicyIdentifiers = []asn1.ObjectIdentifier{policy} }), none(func(c *x509.Certificate) { c.PolicyIdentifiers = []asn1.ObjectIdentifier{policy} })),
		three("go-addresses", p256, nil, nil, none(func(c *x509.Certificate) {
			c.CRLDistributionPoints = []string{"http://crl.example.com/1.crl", "ldap://ldap.example.com/cn=ca"}
			c.OCSPServer = []string{"http://ocsp.example.com"}
			c.IssuingCertificateURL = []string{"http://ca.example.com/ca.crt"}
		})),
		three("go-to-9999", p256, nil, nil, none(func(c *x509.Certificate) { c.NotAfter = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) })),
		three("go-from-1950", p256, none(func(c *x509.Certificate) { c.NotBefore = time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC) }), nil, nil),
		three("go-long-serial", p256, nil, nil, none(func(c *x509.Certificate) { c.SerialNumber = new(big.Int).Lsh(big.NewInt(1), 158) })),
		three("go-other-key-identifiers", p256, none(func(c *x509.Certificate) { c.SubjectKeyId = []byte("root") }), none(func(c *x509.Certificate) { c.SubjectKeyId = make([]byte, 64) }), nil),
	}
	return append(all, renewals(), crossSigned(), deep())
}

// Expired certificates of the same authority come before the current one.
func renewals() honest {
	root := issue(nil, keyOf("p256"), true, "Go Root")
	key := keyOf("p256")
	expired := func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour)
	}
	sent := []*node{}
	for range 8 {
		sent = append(sent, issue(root, key, true, "Go Renewed", expired))
	}
	current := issue(root, key, true, "Go Renewed")
	leaf := issue(current, keyOf("p256"), false, "caller")
	return honest{"go-renewals", root, append(append([]*node{leaf}, sent...), current)}
}

// The intermediate is certified by two roots; the chain contains both certificates, the other one first.
func crossSigned() honest {
	root, other, key := issue(nil, keyOf("p256"), true, "Go Root"), issue(nil, keyOf("p256"), true, "Go Other Root"), keyOf("p256")
	byOther, byRoot := issue(other, key, true, "Go Crossed"), issue(root, key, true, "Go Crossed")
	leaf := issue(byRoot, keyOf("p256"), false, "caller")
	return honest{"go-cross-signed", root, []*node{leaf, byOther, byRoot}}
}

func deep() honest {
	root := issue(nil, keyOf("p521"), true, "Go Root")
	above, chain := root, []*node{}
	for level := range 4 {
		above = issue(above, keyOf("p521"), true, fmt.Sprintf("Go Level %d", level))
		chain = append([]*node{above}, chain...)
	}
	return honest{"go-four-p521", root, append([]*node{issue(above, keyOf("p256"), false, "caller")}, chain...)}
}

func write(path string, certificates ...*node) {
	var text strings.Builder
	for _, one := range certificates {
		text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: one.certificate.Raw}))
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		panic(err)
	}
}

func read(path string) ([]*x509.Certificate, error) {
	rest := must(os.ReadFile(path))
	found := []*x509.Certificate{}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return found, nil
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		found = append(found, certificate)
	}
}

func verify(folder, name string) error {
	roots, err := read(filepath.Join(folder, name+".root.pem"))
	if err != nil {
		return err
	}
	chain, err := read(filepath.Join(folder, name+".chain.pem"))
	if err != nil {
		return err
	}
	options := x509.VerifyOptions{Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	options.Roots.AddCert(roots[0])
	for _, certificate := range chain[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err = chain[0].Verify(options)
	return err
}

func main() {
	what, folder := os.Args[1], os.Args[2]
	if what == "make" {
		for _, one := range chains() {
			write(filepath.Join(folder, one.name+".root.pem"), one.root)
			write(filepath.Join(folder, one.name+".chain.pem"), one.chain...)
		}
		return
	}
	for _, path := range must(filepath.Glob(filepath.Join(folder, "*.chain.pem"))) {
		name := strings.TrimSuffix(filepath.Base(path), ".chain.pem")
		if err := verify(folder, name); err != nil {
			fmt.Println(name, strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println(name, "ok")
		}
	}
}
